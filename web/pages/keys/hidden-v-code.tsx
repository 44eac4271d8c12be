import Button from "@cloudscape-design/components/button";
import CopyToClipboard from "@cloudscape-design/components/copy-to-clipboard";
import { useState } from "react";
import { toApiFailure } from "../../api/api-failure.ts";
import { useApp } from "../../shell/app-context.ts";

type Secret = { status: "hidden" | "loading" } | { status: "shown"; vCode: string } | { status: "failed"; why: string };

/** The v_code of a key: fetched and shown when asked for, and forgotten when hidden again. */
export const HiddenVCode = ({ keyId }: { keyId: string }) => {
  const { api } = useApp();
  const [secret, setSecret] = useState<Secret>({ status: "hidden" });

  const show = async () => {
    setSecret({ status: "loading" });
    try {
      setSecret({ status: "shown", vCode: (await api.getKey(keyId)).v_code });
    } catch (error) {
      setSecret({ status: "failed", why: toApiFailure(error).message });
    }
  };

  if (secret.status === "shown") {
    return (
      <span className="secret">
        <code>{secret.vCode}</code>
        <CopyToClipboard
          variant="icon"
          copyButtonAriaLabel={`Copy the v_code of ${keyId}`}
          copySuccessText="Copied"
          copyErrorText="The browser did not let it be copied: select the text and copy it by hand."
          textToCopy={secret.vCode}
        />
        <Button
          variant="inline-link"
          ariaLabel={`Hide the v_code of ${keyId}`}
          onClick={() => setSecret({ status: "hidden" })}
        >
          Hide
        </Button>
      </span>
    );
  }
  return (
    <span className="secret">
      {secret.status === "failed" ? (
        <span role="alert">{secret.why}</span>
      ) : (
        <span className="dots" aria-hidden="true">
          ••••••••
        </span>
      )}
      <Button
        variant="inline-link"
        ariaLabel={`Show the v_code of ${keyId}`}
        loading={secret.status === "loading"}
        onClick={show}
      >
        Show
      </Button>
    </span>
  );
};
