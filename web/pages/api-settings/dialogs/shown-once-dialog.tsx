import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import LiveRegion from "@cloudscape-design/components/live-region";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { type ReactNode, useState } from "react";
import { Dialog } from "../../../parts/dialog.tsx";
import { useBlocker } from "../../../session/blocker.ts";

interface ShownOnceDialogProps {
  title: string;
  /** The text, which no other response contains. */
  secret: string;
  /** Whether the text is no longer of any use, so that nothing is lost with it. */
  isSpent?: boolean;
  /** What to do now, before and after the text has been copied. */
  advice: { before: string; after: string };
  /** What is lost if the dialog is closed without copying. */
  loss: { header: string; explanation: string };
  onClose: () => void;
  /** The content, which calls `onCopy` with whatever was copied from it. */
  children: (onCopy: (copied: string) => void) => ReactNode;
}

/**
 * Shows a text once. Until it has been copied, whatever would close the dialog only asks: Escape, Back and a click outside are
 * too easily done by accident, even twice.
 */
export const ShownOnceDialog = ({ title, secret, isSpent = false, ...props }: ShownOnceDialogProps) => {
  const { advice, loss, onClose, children } = props;
  const [isCopied, setCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const mayClose = isCopied || isSpent;
  const close = () => (mayClose ? onClose() : setAsking(true));
  useBlocker(!mayClose, close);

  const onCopy = (copied: string) => {
    if (copied.includes(secret)) setCopied(true);
  };
  return (
    <Dialog
      title={title}
      size="large"
      onClose={close}
      actions={
        <Button variant={mayClose ? "primary" : "normal"} onClick={close}>
          Done
        </Button>
      }
    >
      <SpaceBetween size="l">
        {isAsking && !mayClose ? (
          <LiveRegion assertive>
            <Alert type="error" header={loss.header} action={<Button onClick={onClose}>Close without copying</Button>}>
              {loss.explanation}
            </Alert>
          </LiveRegion>
        ) : (
          !isSpent && <Alert type={isCopied ? "success" : "warning"}>{isCopied ? advice.after : advice.before}</Alert>
        )}
        {children(onCopy)}
      </SpaceBetween>
    </Dialog>
  );
};
