import { SpaceBetween } from "@cloudscape-design/components";
import { trustedTokenSeconds } from "../../../../lambdas/resources/tokens/token-limits.ts";
import { fieldError } from "../../../api/api-failure.ts";
import { SelectField } from "../../../parts/select-field.tsx";
import { TextField } from "../../../parts/text-field.tsx";
import { durationInWords } from "../../../parts/time.ts";
import { type Terms, type TypedTerms, termsOf } from "../../../tokens/terms.ts";
import { AddressField } from "../dialogs/address-field.tsx";
import { CommentField, ExpiryField, LimitField, type TermFieldProps } from "../dialogs/term-fields.tsx";
import { capitalised, fieldsOf, identityOf, type Parts, type Platform } from "./platforms.ts";

/** The terms of a trust that can be changed, as the service takes them. */
export interface TrustTerms extends Terms {
  token_seconds: number;
  ip: string | null;
}

/** The same as an admin types them. */
export interface TypedTrust extends TypedTerms {
  life: string;
  ip: string;
}

/** The terms that were typed; `undefined` while something is wrong with them. */
export const trustTermsOf = ({ life, ip, ...typed }: TypedTrust, current?: string | null): TrustTerms | undefined => {
  const terms = termsOf(typed, Date.now(), current);
  return terms && { ...terms, token_seconds: Number(life), ip: ip || null };
};

interface TrustFieldsProps extends Pick<TermFieldProps, "isSubmitted" | "failure"> {
  typed: TypedTrust;
  onChange: (typed: TypedTrust) => void;
  /** When the trust ends as it is, which can then be kept; null if never. */
  current?: string | null;
}

/** The fields for the terms of a trust. */
export const TrustFields = ({ typed, onChange, isSubmitted, failure, ...current }: TrustFieldsProps) => {
  const fields = {
    ...{ typed, isSubmitted, failure, subject: "workload" as const },
    onChange: (changed: TypedTerms) => onChange({ ...typed, ...changed }),
  };
  const options = [...new Set([...lives, Number(typed.life)])]
    .toSorted((one, other) => one - other)
    .map((seconds) => ({ value: String(seconds), label: durationInWords(seconds) }));
  return (
    <SpaceBetween size="l">
      <CommentField {...fields} />
      <SelectField
        label="Its tokens live for"
        description="A workload that needs longer gets another one by itself."
        errorText={fieldError(failure, "token_seconds")}
        options={options}
        value={typed.life}
        onChange={(life) => onChange({ ...typed, life })}
      />
      <AddressField
        value={typed.ip}
        isOptional
        description="The only address that the workload may get tokens from. In any case, each token works only from the address that got it."
        error={fieldError(failure, "ip")}
        onChange={(ip) => onChange({ ...typed, ip })}
      />
      <LimitField {...fields} />
      <ExpiryField {...fields} {...current} />
    </SpaceBetween>
  );
};

const lives = [trustedTokenSeconds.min, 900, 3_600, 28_800, trustedTokenSeconds.max];

interface IdentityFieldsProps extends Pick<TermFieldProps, "isSubmitted" | "failure"> {
  platform: Platform;
  parts: Parts;
  onChange: (parts: Parts) => void;
}

/** The fields that a platform needs, and the issuer and the subject that they make. */
export const IdentityFields = ({ platform, parts, onChange, isSubmitted, failure }: IdentityFieldsProps) => {
  const typed = fieldsOf(platform, parts);
  const composed = (["issuer", "subject"] as const).filter((name) => typed.every(([part]) => part !== name));
  const shown = identityOf(platform, withDots(parts));
  const options = Object.keys(platform.scopes ?? {}).map((value) => ({ value, label: `One ${value}` }));
  return (
    <SpaceBetween size="l">
      {options.length > 0 && (
        <SelectField
          label="Trusted for"
          options={options}
          value={parts.scope}
          onChange={(scope) => onChange({ ...parts, scope })}
        />
      )}
      {typed.map(([part, label, placeholder]) => (
        <TextField
          key={part}
          {...{ label, placeholder, value: parts[part] }}
          error={(isSubmitted && parts[part] === "" ? "Fill in this field." : "") || fieldError(failure, part)}
          onChange={(text) => onChange({ ...parts, [part]: text.trim() })}
        />
      ))}
      {composed.map((part) => (
        <TextField
          key={part}
          label={`${capitalised(part)} in its JWT`}
          readOnly
          value={shown[part]}
          error={fieldError(failure, part)}
          onChange={() => {}}
        />
      ))}
    </SpaceBetween>
  );
};

/** What is still missing, as dots. */
const withDots = (parts: Parts): Parts => ({
  ...parts,
  ...Object.fromEntries(Object.entries(parts).map(([part, text]) => [part, text || "…"])),
});
