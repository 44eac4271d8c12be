import Button from "@cloudscape-design/components/button";
import CopyToClipboard from "@cloudscape-design/components/copy-to-clipboard";
import LiveRegion from "@cloudscape-design/components/live-region";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { useId, useRef, useState } from "react";

interface CopyBoxProps {
  label: string;
  text: string;
  /** Called with what the user copied, with the button or by hand. */
  onCopy?: (copied: string) => void;
}

/** A text with a button that copies it. If the browser does not allow that, another one selects it for copying by hand. */
export const CopyBox = ({ label, text, onCopy }: CopyBoxProps) => {
  const labelId = useId();
  const code = useRef<HTMLElement>(null);
  const [isRefused, setRefused] = useState(false);
  const onCopySuccess = () => {
    setRefused(false);
    onCopy?.(text);
  };
  return (
    <section className="copy-box" aria-labelledby={labelId} onCopy={() => onCopy?.(String(getSelection()))}>
      <div className="copy-box-head">
        <strong id={labelId}>{label}</strong>
        <CopyToClipboard
          variant="button"
          copyButtonText="Copy"
          copyButtonAriaLabel={`Copy: ${label}`}
          copySuccessText="Copied"
          copyErrorText="Not copied"
          textToCopy={text}
          onCopySuccess={onCopySuccess}
          onCopyFailure={() => setRefused(true)}
        />
      </div>
      {isRefused && (
        <div className="copy-box-refusal">
          <LiveRegion>
            <StatusIndicator type="error">
              The browser did not allow copying. Select the text and copy it by hand.
            </StatusIndicator>
          </LiveRegion>
          <Button onClick={() => code.current && getSelection()?.selectAllChildren(code.current)}>
            Select the text
          </Button>
        </div>
      )}
      <code ref={code}>{text}</code>
    </section>
  );
};
