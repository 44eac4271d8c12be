import {
  Alert,
  Button,
  CopyToClipboard,
  LiveRegion,
  SpaceBetween,
  StatusIndicator,
} from "@cloudscape-design/components";
import { type ReactNode, useId, useRef, useState } from "react";
import { tokenPaths } from "../../../../../lambdas/shared/addresses.ts";
import type { IssuedToken } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.tsx";
import { Dialog, useDialogs } from "../../../parts/dialog.tsx";
import { BoundAddress } from "../../../parts/token-name.tsx";
import { useBlocker } from "../../../session/blocker.ts";

interface ShownOnceDialogProps {
  title: string;
  /** The secret. No other response contains it. */
  secret: string;
  /** Whether the secret is already useless, so that closing the dialog loses nothing. */
  isSpent?: boolean;
  /** What to do before and after the secret has been copied. */
  advice: { before: string; after: string };
  /** What is lost if the dialog is closed without copying. */
  loss: { header: string; explanation: string };
  onClose: () => void;
  /** The content. It calls `onCopy` with whatever was copied. */
  children: (onCopy: (copied: string) => void) => ReactNode;
}

/**
 * Shows a secret once. Until it has been copied, Escape, Back and a click outside only ask for confirmation, because all three
 * happen too easily by accident, even twice.
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

interface CopyBoxProps {
  label: string;
  text: string;
  /** Whether lines are never wrapped, because their indentation has a meaning. */
  keepsLines?: boolean;
  /** Called with what the user copied, by button or by hand. */
  onCopy?: (copied: string) => void;
}

/** Shows a string with a copy button. If the browser blocks copying, the text is selected so that the user can copy it by hand. */
export const CopyBox = ({ label, text, keepsLines, onCopy }: CopyBoxProps) => {
  const labelId = useId();
  const code = useRef<HTMLElement>(null);
  const [isRefused, setRefused] = useState(false);
  const onCopySuccess = () => {
    setRefused(false);
    onCopy?.(text);
  };
  const onCopyFailure = () => {
    setRefused(true);
    if (code.current) getSelection()?.selectAllChildren(code.current);
  };
  return (
    <section className="copy-box" aria-labelledby={labelId} onCopy={() => onCopy?.(String(getSelection()))}>
      <div className="row spread">
        <strong id={labelId}>{label}</strong>
        <CopyToClipboard
          variant="button"
          copyButtonText="Copy"
          copyButtonAriaLabel={`Copy: ${label}`}
          copySuccessText="Copied"
          copyErrorText="Not copied"
          textToCopy={text}
          onCopySuccess={onCopySuccess}
          onCopyFailure={onCopyFailure}
        />
      </div>
      {isRefused && (
        <div className="row">
          <LiveRegion>
            <StatusIndicator type="error">
              The browser did not allow copying. The text is selected: press Ctrl+C, or ⌘C on a Mac.
            </StatusIndicator>
          </LiveRegion>
        </div>
      )}
      <code ref={code} {...(keepsLines && { className: "lines", tabIndex: 0 })}>
        {text}
      </code>
    </section>
  );
};

/** Shows the value of a new token once. */
export const IssuedDialog = ({ title, issued }: { title: string; issued: IssuedToken }) => {
  const { baseUrl } = useApp();
  const { token } = issued;
  return (
    <ShownOnceDialog title={title} secret={token} advice={advice} loss={loss} onClose={useDialogs().close}>
      {(onCopy) => (
        <SpaceBetween size="l">
          <CopyBox label="Token" text={token} onCopy={onCopy} />
          <CopyBox label="Try it" text={curlLine(baseUrl, token)} onCopy={onCopy} />
          <div>
            The token works from <BoundAddress token={issued} /> and from no other address: try it there.
          </div>
        </SpaceBetween>
      )}
    </ShownOnceDialog>
  );
};

const advice = {
  before: "Copy the token now: only its hash is stored, so it cannot be shown again.",
  after: "The token is in your clipboard. Store it where the client reads it, and nowhere else.",
};

const loss = {
  header: "You have not copied the token",
  explanation: "Once this dialog is closed, nobody can see the token again, and you would have to issue another one.",
};

const curlLine = (baseUrl: string, token: string): string =>
  `curl -H 'Accept: application/json' -H 'X-Token: ${token}' ${baseUrl}${tokenPaths.token}`;
