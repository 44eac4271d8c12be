import Button from "@cloudscape-design/components/button";
import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";
import { useCallback } from "react";
import { useLoaded } from "../../parts/use-loaded.ts";
import { useApp } from "../../shell/app-context.ts";
import { useAddressCheck } from "./use-address-check.ts";

interface AddressFieldProps {
  value: string;
  /** What the service said of the address when it was asked to issue. */
  problem: string;
  onChange: (address: string) => void;
}

/** The address that a token is bound to; what is wrong with it is said while it is typed. */
export const AddressField = ({ value, problem, onChange }: AddressFieldProps) => {
  const { api } = useApp();
  const loadOwn = useCallback(async () => (await api.checkAddress()).seen_ip, [api]);
  const { value: own } = useLoaded(loadOwn);
  const check = useAddressCheck(value);

  return (
    <FormField
      label="IP address"
      description="The one address that the client calls from, as the service sees it: behind NAT, the outer one."
      errorText={problem || check.problem}
      constraintText={explain(value, check.canonical)}
      stretch
    >
      <div className="side-by-side">
        <Input
          value={value}
          onChange={({ detail }) => onChange(detail.value.trim())}
          placeholder="198.51.100.7 or 2001:db8::7"
          autoComplete={false}
          spellcheck={false}
          inputMode="text"
        />
        <Button disabled={!own} onClick={() => onChange(own ?? "")} formAction="none">
          Use my address{own ? ` (${own})` : ""}
        </Button>
      </div>
    </FormField>
  );
};

const explain = (value: string, canonical: string): string => {
  if (canonical === "") return "IPv4 or IPv6.";
  return canonical === value ? `A token can be bound to ${canonical}.` : `The token will be bound to ${canonical}.`;
};
