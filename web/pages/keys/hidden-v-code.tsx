import Button from "@cloudscape-design/components/button";
import CopyToClipboard from "@cloudscape-design/components/copy-to-clipboard";
import { useState } from "react";
import { toApiFailure } from "../../api/api-failure.ts";
import { useApp } from "../../shell/app-context.ts";

/** The v_code of a key: fetched and shown when asked for, and forgotten when hidden again. */
export const HiddenVCode = ({ keyId }: { keyId: string }) => {
  const { api } = useApp();
  const [vCode, setVCode] = useState<string>();
  const [problem, setProblem] = useState("");
  const [isLoading, setLoading] = useState(false);

  const show = async () => {
    setLoading(true);
    setProblem("");
    try {
      setVCode((await api.getKey(keyId)).v_code);
    } catch (error) {
      setProblem(toApiFailure(error).message);
    }
    setLoading(false);
  };

  const isShown = vCode !== undefined;
  return (
    <span className="secret">
      {isShown ? <ShownVCode keyId={keyId} vCode={vCode} /> : <HiddenText problem={problem} />}
      {/* One button for both, so that it keeps the focus. */}
      <Button
        variant="inline-link"
        ariaLabel={`${isShown ? "Hide" : "Show"} the v_code of ${keyId}`}
        loading={isLoading}
        onClick={isShown ? () => setVCode(undefined) : show}
      >
        {isShown ? "Hide" : "Show"}
      </Button>
    </span>
  );
};

const ShownVCode = ({ keyId, vCode }: { keyId: string; vCode: string }) => (
  <>
    <code>{vCode}</code>
    <CopyToClipboard
      variant="icon"
      copyButtonAriaLabel={`Copy the v_code of ${keyId}`}
      copySuccessText="Copied"
      copyErrorText="The browser did not let it be copied: select the text and copy it by hand."
      textToCopy={vCode}
    />
  </>
);

const HiddenText = ({ problem }: { problem: string }) =>
  problem ? <span role="alert">{problem}</span> : <span aria-hidden="true">••••••••</span>;
