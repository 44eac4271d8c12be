import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import LiveRegion from "@cloudscape-design/components/live-region";
import Modal from "@cloudscape-design/components/modal";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useState } from "react";
import type { IssuedToken, Token } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { useApp } from "../../../parts/app-context.ts";
import { useCloseWithBack } from "../../../parts/close-with-back.ts";
import { CopyBox } from "../../../parts/copy-box.tsx";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { useBlocker } from "../../../session/blocker.ts";

interface IssuedDialogProps {
  title: string;
  issued: IssuedToken;
  onClose: () => void;
}

/**
 * Shows the text of a new token, once. Until the text has been copied, whatever would close the dialog only asks: Escape, Back
 * and a click outside are too easily done by accident, even twice.
 */
export const IssuedDialog = ({ title, issued: { token, ip }, onClose }: IssuedDialogProps) => {
  const { baseUrl } = useApp();
  const [isCopied, setCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const close = () => (isCopied ? onClose() : setAsking(true));
  useBlocker(!isCopied, close);
  useCloseWithBack(close);
  useFocusAfterwards();

  const onCopy = (copied: string) => {
    if (copied.includes(token)) setCopied(true);
  };
  return (
    <Modal
      visible
      size="large"
      header={title}
      onDismiss={close}
      footer={
        <div className="dialog-actions">
          <Button variant={isCopied ? "primary" : "normal"} onClick={close}>
            Done
          </Button>
        </div>
      }
    >
      <SpaceBetween size="l">
        {isAsking && !isCopied ? (
          <LiveRegion assertive>
            <Alert
              type="error"
              header="You have not copied the token"
              action={<Button onClick={onClose}>Close without copying</Button>}
            >
              Once this dialog is closed, nobody can see the token again, and you would have to issue another one.
            </Alert>
          </LiveRegion>
        ) : (
          <Alert type={isCopied ? "success" : "warning"}>
            {isCopied
              ? "The token is in your clipboard. Store it where the client reads it, and nowhere else."
              : "Copy the token now: only its hash is stored, so it cannot be shown again."}
          </Alert>
        )}
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
