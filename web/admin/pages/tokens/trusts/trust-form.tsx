import { SpaceBetween } from "@cloudscape-design/components";
import { trustedTokenSeconds } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import { SelectField, TextField } from "../../../parts/fields.tsx";
import type { Fields } from "../../../parts/form.ts";
import { durationInWords } from "../../../parts/time.ts";
import { type Terms, type TypedTerms, termsOf } from "../../../records/terms.ts";
import { AddressField, CommentField, ExpiryField, LimitField } from "../dialogs/term-fields.tsx";
import { capitalised, fieldsOf, identityOf, type Parts, type Platform } from "./platforms.ts";

/** The editable terms of a trust, in the service's format. */
export interface TrustTerms extends Terms {
  token_seconds: number;
  ip: string | null;
}

/** The same terms as an admin types them. */
export interface TypedTrust extends TypedTerms {
  token_seconds: string;
  ip: string;
}

/** Converts the typed terms to the service's format. */
export const trustTermsOf = (typed: TypedTrust, current?: string | null): TrustTerms => ({
  ...termsOf(typed, Date.now(), current),
  token_seconds: Number(typed.token_seconds),
  ip: typed.ip || null,
});

interface TrustFieldsProps {
  fields: Fields<TypedTrust>;
  /** The trust's current end, which can be kept; null if it never ends. */
  current?: string | null;
}

/** The fields for a trust's terms. */
export const TrustFields = ({ fields, current }: TrustFieldsProps) => {
  const options = [...new Set([...lives, Number(fields.token_seconds.value)])]
    .toSorted((one, other) => one - other)
    .map((seconds) => ({ value: String(seconds), label: durationInWords(seconds) }));
  return (
    <SpaceBetween size="l">
      <CommentField {...fields.comment} subject="workload" />
      <SelectField
        {...fields.token_seconds}
        label="Its tokens live for"
        description="A workload that needs longer gets another one by itself."
        options={options}
      />
      <AddressField
        {...fields.ip}
        isOptional
        description="The only address that the workload may get tokens from. In any case, each token works only from the address that got it."
      />
      <LimitField {...fields.rate_limit} subject="workload" />
      <ExpiryField {...fields.expires_at} subject="workload" current={current} />
    </SpaceBetween>
  );
};

const lives = [trustedTokenSeconds.min, 900, 3_600, 28_800, trustedTokenSeconds.max];

interface IdentityFieldsProps {
  platform: Platform;
  parts: Parts;
  fields: Fields<Parts>;
}

/** Returns what is wrong with a workload's identity. */
export const identityErrors = (platform: Platform, parts: Parts): Partial<Parts> =>
  Object.fromEntries(
    fieldsOf(platform, parts).map(([part]) => [part, parts[part] === "" ? "Fill in this field." : ""]),
  );

/** The fields that a platform needs, and the resulting issuer and subject. */
export const IdentityFields = ({ platform, parts, fields }: IdentityFieldsProps) => {
  const typed = fieldsOf(platform, parts);
  const composed = (["issuer", "subject"] as const).filter((name) => typed.every(([part]) => part !== name));
  const shown = identityOf(platform, withDots(parts));
  const options = Object.keys(platform.scopes ?? {}).map((value) => ({ value, label: `One ${value}` }));
  return (
    <SpaceBetween size="l">
      {options.length > 0 && <SelectField {...fields.scope} label="Trusted for" options={options} />}
      {typed.map(([part, label, placeholder]) => (
        <TextField
          key={part}
          {...fields[part]}
          {...{ label, placeholder }}
          onChange={(text) => fields[part].onChange(text.trim())}
        />
      ))}
      {composed.map((part) => (
        <TextField
          key={part}
          {...fields[part]}
          label={`${capitalised(part)} in its JWT`}
          readOnly
          value={shown[part]}
        />
      ))}
    </SpaceBetween>
  );
};

/** Replaces missing values with dots. */
const withDots = (parts: Parts): Parts => ({
  ...parts,
  ...Object.fromEntries(Object.entries(parts).map(([part, text]) => [part, text || "…"])),
});
