import { Button } from "@cloudscape-design/components";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { fieldError } from "../../../api/api-failure.ts";
import { useApp } from "../../../parts/app-context.tsx";
import type { Field } from "../../../parts/form.ts";
import { TextField } from "../../../parts/text-field.tsx";

interface AddressFieldProps extends Field {
  /** Whether the address may be left empty, as for an invitation. *Use my address* is then not offered. */
  isOptional: boolean;
  description?: string;
}

/** The address that a token is bound to, checked while it is typed. */
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
      constraintText={explain(value, check.canonical)}
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

const explain = (value: string, canonical: string): string => {
  if (canonical === "") return "IPv4 or IPv6.";
  return canonical === value ? `A token can be bound to ${canonical}.` : `The token will be bound to ${canonical}.`;
};

/** What the service says about an address. Both fields are empty until the service has responded. */
interface AddressCheck {
  /** The address in canonical form. */
  canonical: string;
  /** Why no token can be bound to it. */
  error: string;
}

const pauseMs = 250;

/** Asks the service about an address as soon as the typing pauses. The issue itself checks it again. */
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
