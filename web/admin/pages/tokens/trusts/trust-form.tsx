import { trustedTokenSeconds } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import { SelectField, TextField } from "../../../parts/fields.tsx";
import type { Field, Fields } from "../../../parts/form.ts";
import { durationInWords } from "../../../parts/time.ts";
import { type Terms, type TypedTerms, termsOf } from "../../../records/terms.ts";
import { AddressField, ClientField, CommentField, ExpiryField, LimitField } from "../dialogs/term-fields.tsx";
import { fieldsOf, identityOf, type Parts, type Platform } from "./platforms.ts";

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
  /** The client of a new trust. It cannot be changed later. */
  client?: Field;
  /** The trust's current end, which can be kept; null if it never ends. */
  current?: string | null;
}

/** The fields for a trust's terms. */
export const TrustFields = ({ fields, client, current }: TrustFieldsProps) => {
  const options = [...new Set([...lives, Number(fields.token_seconds.value)])]
    .toSorted((one, other) => one - other)
    .map((seconds) => ({ value: String(seconds), label: durationInWords(seconds) }));
  return (
    <>
      <CommentField {...fields.comment} subject="workload" />
      {client && <ClientField {...client} subject="workload" />}
      <SelectField
        {...fields.token_seconds}
        label="Token lifetime"
        description="Longer jobs exchange another JWT."
        options={options}
      />
      <AddressField
        {...fields.ip}
        isOptional
        description="The only address that the workload may get tokens from. Each token works only from the address that got it."
      />
      <LimitField {...fields.rate_limit} subject="workload" />
      <ExpiryField {...fields.expires_at} subject="workload" current={current} />
    </>
  );
};

const lives = [trustedTokenSeconds.min, 900, 3_600, 28_800, trustedTokenSeconds.max];

interface IdentityFieldsProps {
  platform: Platform;
  parts: Parts;
  fields: Fields<Parts>;
  /** Sets several parts that were pasted into one field. */
  onPaste: (parts: Partial<Parts>) => void;
}

/** The fields that a platform needs, and the resulting issuer and subject. */
export const IdentityFields = ({ platform, parts, fields, onPaste }: IdentityFieldsProps) => {
  const typed = fieldsOf(platform, parts);
  const { issuer, subject } = identityOf(platform, withDots(parts));
  const options = Object.keys(platform.scopes ?? {}).map((value) => ({ value, label: `One ${value}` }));
  const enter = (part: keyof Parts, text: string) => {
    const pasted = platform.paste?.(part, text);
    if (pasted) onPaste(pasted);
    else fields[part].onChange(text);
  };
  return (
    <>
      {options.length > 0 && <SelectField {...fields.scope} label="Trusted for" options={options} />}
      {typed.map(([part, label, placeholder]) => (
        <TextField
          key={part}
          {...fields[part]}
          {...{ label, placeholder }}
          onChange={(text) => enter(part, text.trim())}
        />
      ))}
      {typed.every(([part]) => part !== "subject" && fields[part].error === "") && (
        <div className="remark breakable">
          The JWT must have the issuer <code className="address">{issuer}</code> and the subject{" "}
          <code className="address">{subject}</code>.
        </div>
      )}
    </>
  );
};

/** Replaces missing values with dots. */
const withDots = (parts: Parts): Parts => ({
  ...parts,
  ...Object.fromEntries(Object.entries(parts).map(([part, text]) => [part, text || "…"])),
});
