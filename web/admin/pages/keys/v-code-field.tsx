import { Button, CopyToClipboard } from "@cloudscape-design/components";
import { useQueryClient } from "@tanstack/react-query";
import { vCodeLength } from "../../../../lambdas/domain/keys/key-fields.ts";
import { codePoints } from "../../../../lambdas/shared/validation/characters.ts";
import { TextField } from "../../parts/fields.tsx";
import type { Field } from "../../parts/form.ts";
import { useSending } from "../../parts/sending.tsx";
import { VisibleText } from "../../parts/values.tsx";
import { visibleText } from "../../parts/visible-characters.ts";
import { changesKey } from "../../records/caches.ts";

/** A field for a v_code that counts its characters during typing. */
export const VCodeField = ({ isOptional = false, ...field }: Field & { isOptional?: boolean }) => (
  <TextField
    {...field}
    label="v_code"
    isOptional={isOptional}
    description={`The verification code: exactly ${vCodeLength} characters of any kind.${isOptional ? " Leave it empty to keep the current one." : ""}`}
    constraintText={`${codePoints(field.value)} of ${vCodeLength} characters`}
  >
    <Button formAction="none" onClick={() => field.onChange(generateVCode())}>
      Generate
    </Button>
  </TextField>
);

/** Returns why a v_code can't be sent, or an empty string. */
export const vCodeError = (value: string): string =>
  codePoints(value) === vCodeLength ? "" : `The v_code must be ${vCodeLength} characters.`;

/**
 * Shows a key's v_code. The v_code is loaded when the user asks for it, which the history records, and forgotten when the user
 * hides it.
 */
export const HiddenVCode = ({ keyId }: { keyId: string }) => {
  const client = useQueryClient();
  const show = useSending((api) => api("reveal_key", { key_id: keyId }), {
    isRepeatable: true,
    onDone: () => client.invalidateQueries({ queryKey: changesKey({ key_id: keyId }) }),
  });
  const { result, failure, isLocked } = show;

  return (
    <span className="v-code row">
      {result ? <ShownVCode keyId={keyId} vCode={result.v_code} /> : <HiddenText error={failure?.message ?? ""} />}
      {/* One button serves for show and hide, so that it keeps the focus. */}
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
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Generates a random v_code of letters and digits with 381 bits of entropy. */
export const generateVCode = (): string => Array.from({ length: vCodeLength }, randomCharacter).join("");

/** Every character is equally likely, because bytes that would favour the first characters are drawn again. */
const randomCharacter = (): string => {
  const fairBytes = 256 - (256 % alphabet.length);
  const [byte = fairBytes] = crypto.getRandomValues(new Uint8Array(1));
  return byte < fairBytes ? alphabet.charAt(byte % alphabet.length) : randomCharacter();
};
