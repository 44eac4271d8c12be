import CopyToClipboard from "@cloudscape-design/components/copy-to-clipboard";
import { useId } from "react";

interface CopyBoxProps {
  label: string;
  text: string;
  /** Called when the user copied the text, with the button or by hand. */
  onCopy?: () => void;
}

/** A text with a button that copies it. */
export const CopyBox = ({ label, text, onCopy }: CopyBoxProps) => {
  const labelId = useId();
  return (
    <section className="copy-box" aria-labelledby={labelId} onCopy={onCopy}>
      <div className="copy-box-head">
        <strong id={labelId}>{label}</strong>
        <CopyToClipboard
          variant="button"
          copyButtonText="Copy"
          copyButtonAriaLabel={`Copy: ${label}`}
          copySuccessText="Copied"
          copyErrorText="The browser did not allow copying: select the text and copy it by hand."
          textToCopy={text}
          onCopySuccess={() => onCopy?.()}
        />
      </div>
      <code>{text}</code>
    </section>
  );
};
