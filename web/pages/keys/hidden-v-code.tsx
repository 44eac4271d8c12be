import Button from "@cloudscape-design/components/button";
import CopyToClipboard from "@cloudscape-design/components/copy-to-clipboard";
import { useSending } from "../../parts/use-sending.tsx";
import { visibleText } from "../../parts/visible-characters.ts";
import { VisibleText } from "../../parts/visible-text.tsx";
import "./hidden-v-code.css";

/** The v_code of a key: loaded when the user asks to see it, which the service logs, and forgotten when it is hidden again. */
export const HiddenVCode = ({ keyId }: { keyId: string }) => {
  const show = useSending((api) => api("reveal_key", { key_id: keyId }), { isRepeatable: true });
  const { result, failure, isLocked } = show;

  return (
    <span className="v-code">
      {result ? <ShownVCode keyId={keyId} vCode={result.v_code} /> : <HiddenText error={failure?.message ?? ""} />}
      {/* The same button hides it again, so that it keeps the focus. */}
      <Button
        variant="inline-link"
        ariaLabel={`${result ? "Hide" : "Show"} the v_code of ${visibleText(keyId)}`}
        loading={isLocked}
        onClick={() => (result ? show.reset() : show.run())}
      >
        {result ? "Hide" : "Show"}
      </Button>
    </span>
  );
};

const ShownVCode = ({ keyId, vCode }: { keyId: string; vCode: string }) => (
  <>
    <code>
      <VisibleText text={vCode} />
    </code>
    <CopyToClipboard
      variant="icon"
      copyButtonAriaLabel={`Copy the v_code of ${visibleText(keyId)}`}
      copySuccessText="Copied"
      copyErrorText="The browser did not allow copying: select the text and copy it by hand."
      textToCopy={vCode}
    />
  </>
);

const HiddenText = ({ error }: { error: string }) =>
  error ? <span role="alert">{error}</span> : <span aria-hidden="true">••••••••</span>;
