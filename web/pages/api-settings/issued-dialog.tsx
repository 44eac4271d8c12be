import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import Modal from "@cloudscape-design/components/modal";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useState } from "react";
import type { IssuedToken } from "../../api/token.ts";
import { Address } from "../../parts/address.tsx";
import { CopyBox } from "../../parts/copy-box.tsx";
import { useFocusAfterwards } from "../../parts/focus.ts";
import { useHold } from "../../session/hold.ts";
import { useApp } from "../../shell/app-context.ts";

interface IssuedDialogProps {
  title: string;
  issued: IssuedToken;
  onClose: () => void;
}

/** Shows the text of a new token, this once. Whoever leaves without a copy is asked again. */
export const IssuedDialog = ({ title, issued: { token, ip }, onClose }: IssuedDialogProps) => {
  const { baseUrl } = useApp();
  const [isCopied, setCopied] = useState(false);
  const [isWarned, setWarned] = useState(false);
  useHold(!isCopied);
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
            ? "You have not copied the token. Once this is closed nobody can read it again, and another must be issued."
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

const curlLine = (baseUrl: string, token: string): string =>
  `curl -H 'Accept: application/json' -H 'X-Token: ${token}' ${baseUrl}/api/v1/token`;
