import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import Modal from "@cloudscape-design/components/modal";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useState } from "react";
import type { IssuedToken, Token } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { useApp } from "../../../parts/app-context.ts";
import { CopyBox } from "../../../parts/copy-box.tsx";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { useBlocker } from "../../../session/blocker.ts";

interface IssuedDialogProps {
  title: string;
  issued: IssuedToken;
  onClose: () => void;
}

/** Shows the text of a new token, once. Closing it without a copy asks for confirmation. */
export const IssuedDialog = ({ title, issued: { token, ip }, onClose }: IssuedDialogProps) => {
  const { baseUrl } = useApp();
  const [isCopied, setCopied] = useState(false);
  const [isWarned, setWarned] = useState(false);
  useBlocker(!isCopied);
  useFocusAfterwards();

  const close = () => (isCopied || isWarned ? onClose() : setWarned(true));
  const onCopy = () => setCopied(true);
  return (
    <Modal
      visible
      size="large"
      header={title}
      onDismiss={close}
      footer={
        <div className="dialog-actions">
          <Button variant={isCopied ? "primary" : "normal"} onClick={close}>
            {isWarned && !isCopied ? "Close without a copy" : "Done"}
          </Button>
        </div>
      }
    >
      <SpaceBetween size="l">
        <Alert type={isWarned && !isCopied ? "error" : "warning"}>
          {isWarned && !isCopied
            ? "You have not copied the token. Once this is closed, nobody can see it again, and you must issue another."
            : "Copy the token now: only its hash is stored, so it cannot be shown again."}
        </Alert>
        <CopyBox label="Token" text={token} onCopy={onCopy} />
        <CopyBox label="Try it" text={curlLine(baseUrl, token)} onCopy={onCopy} />
        <div>
          The token works from <Address ip={ip} /> and from no other address: try it there.
        </div>
      </SpaceBetween>
    </Modal>
  );
};

/** The record without the text, which is kept only in the dialog that shows it. */
export const withoutText = ({ token: _, ...record }: IssuedToken): Token => record;

const curlLine = (baseUrl: string, token: string): string =>
  `curl -H 'Accept: application/json' -H 'X-Token: ${token}' ${baseUrl}/api/v1/token`;
