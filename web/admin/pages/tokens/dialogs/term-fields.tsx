import { Button, FormField, Select } from "@cloudscape-design/components";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { clientLength, limitRange } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import { fieldError } from "../../../api/api-failure.ts";
import { useApp } from "../../../parts/app-context.tsx";
import { TextField } from "../../../parts/fields.tsx";
import type { Field } from "../../../parts/form.ts";
import { localTime, today } from "../../../parts/time.ts";
import { type Expiry, expiresAt, expiryPresets, unchangedExpiry } from "../../../records/terms.ts";

interface Subject {
  /** What the terms belong to. */
  subject?: "token" | "workload";
}

export const CommentField = ({ subject = "token", ...field }: Field & Subject) => (
  <TextField
    {...field}
    label="Comment"
    isOptional
    description={`What the ${subject} is for, and who owns it. Lists show it as the ${subject}'s name.`}
    placeholder="billing sync, team finance"
    spellcheck
  />
);

/** Asks whom a new token or the tokens of a new trust belong to. */
export const ClientField = ({ subject = "token", onChange, ...field }: Field & Subject) => (
  <TextField
    {...field}
    label="Client"
    isOptional
    description={`Who the ${subject} acts for, such as a customer. It cannot be changed later.`}
    constraintText={`Up to ${clientLength.max} letters, digits, hyphens and underscores. Upper and lower case differ.`}
    placeholder="acme"
    onChange={(client) => onChange(client.trim())}
  />
);

export const LimitField = ({ subject, onChange, ...field }: Field & Subject) => (
  <TextField
    {...field}
    label="Requests per minute"
    isOptional
    description={`The maximum for ${subject === "workload" ? "all tokens of the workload together" : "the client"}. Further requests are rejected until the next minute.`}
    constraintText={`${limitRange.min} to ${limitRange.max.toLocaleString("en")}. Leave empty for no limit.`}
    placeholder="no limit"
    inputMode="numeric"
    onChange={(limit) => onChange(limit.trim())}
  />
);

interface ExpiryFieldProps extends Field<Expiry>, Subject {
  /** The token's current end, offered as an additional choice; null if it never ends. */
  current?: string | null | undefined;
}

/** Asks when a token should end: after a usual lifetime, on a date, or never. */
export const ExpiryField = ({ subject = "token", value, current, error, onChange }: ExpiryFieldProps) => {
  const options = [...(current === undefined ? [] : [unchanged]), ...expiryPresets];
  return (
    <FormField
      label="Expires"
      errorText={error}
      constraintText={explainEnd(subject, expiresAt(value, Date.now(), current))}
      stretch
    >
      <div className="field-row stacks-on-phone">
        <Select
          ariaLabel="Expires"
          options={options}
          selectedOption={options.find((option) => option.value === value.preset) ?? null}
          onChange={({ detail }) => onChange({ ...value, preset: detail.selectedOption.value ?? value.preset })}
        />
        {value.preset === "date" && (
          // Uses the browser's own date field, because Cloudscape's calendar is a dialog without a name, and phones have a better
          // one.
          <input
            type="date"
            className="date-input"
            aria-label="Date"
            aria-invalid={error !== ""}
            value={value.date}
            min={today()}
            onChange={({ target }) => onChange({ ...value, date: target.value })}
          />
        )}
      </div>
    </FormField>
  );
};

const unchanged = { value: unchangedExpiry.preset, label: "No change" };

const explainEnd = (subject: string, end: string | null | undefined): string => {
  if (end === undefined) return "It ends at the end of that day, in your time zone.";
  if (end === null)
    return subject === "token"
      ? "The token is valid until it is rotated or revoked."
      : "The workload is trusted until somebody ends the trust.";
  return `Ends ${localTime(end)}.`;
};

interface AddressFieldProps extends Field {
  /** Whether the address may be empty, as for an invitation. *Use my address* is then not offered. */
  isOptional: boolean;
  description?: string;
}

/** Asks for the address that a token is bound to, and checks it during typing. */
export const AddressField = ({ value, isOptional, description, error, onChange }: AddressFieldProps) => {
  const { api } = useApp();
  const { data: own } = useQuery({
    queryKey: ["own-address"],
    queryFn: async ({ signal }) => (await api("address", {}, { signal })).seen_ip,
    enabled: !isOptional,
  });
  const check = useAddressCheck(value);
  return (
    <TextField
      label="IP address"
      isOptional={isOptional}
      description={
        description ??
        (isOptional
          ? "The only address that the client calls from. If you do not know it, leave this empty and confirm the address later."
          : "The only address that the client calls from, as the service sees it. Behind NAT, this is the public address.")
      }
      constraintText={explainAddress(value, check.canonical)}
      placeholder="198.51.100.7 or 2001:db8::7"
      value={value}
      error={error || check.error}
      onChange={(text) => onChange(text.trim())}
    >
      {!isOptional && (
        <Button disabled={!own} onClick={() => onChange(own ?? "")} formAction="none">
          Use my address{own ? ` (${own})` : ""}
        </Button>
      )}
    </TextField>
  );
};

const explainAddress = (value: string, canonical: string): string => {
  if (canonical === "") return "IPv4 or IPv6.";
  return canonical === value ? `A token can be bound to ${canonical}.` : `The token will be bound to ${canonical}.`;
};

/** The service's verdict on an address. Both fields are empty until the service has responded. */
interface AddressCheck {
  /** The address in canonical form. */
  canonical: string;
  /** Why a token can't be bound to the address. */
  error: string;
}

const pauseMs = 250;

/** Checks an address with the service when typing pauses. Issuing the token checks it again. */
const useAddressCheck = (ip: string): AddressCheck => {
  const { api } = useApp();
  const [settled, setSettled] = useState(ip);
  useEffect(() => {
    const timer = setTimeout(setSettled, pauseMs, ip);
    return () => clearTimeout(timer);
  }, [ip]);

  const { data, error } = useQuery({
    queryKey: ["address", ip],
    queryFn: ({ signal }) => api("address", { ip }, { signal }),
    enabled: ip !== "" && settled === ip,
  });
  return { canonical: data?.ip ?? "", error: fieldError(error, "ip") };
};
