import { Button, ExpandableSection, FormField, Select } from "@cloudscape-design/components";
import { useId, useState } from "react";
import { type ChangeKind, keyChangeKinds, tokenChangeKinds } from "../../../lambdas/resources/history/change-kinds.ts";
import { type ApiFailure, fieldError } from "../../api/api-failure.ts";
import { TextField } from "../../parts/text-field.tsx";
import { useBreakpoint } from "../../parts/use-breakpoint.ts";
import { TokenName } from "../../tokens/token-name.tsx";
import { useKnownToken } from "../../tokens/token-queries.ts";
import { type HistoryFilters, isFiltered, kindNames, parseFilters, toField } from "./history-filters.ts";
import "./history.css";

interface FilterFormProps {
  filters: HistoryFilters;
  failure: ApiFailure | null;
  onChange: (filters: HistoryFilters) => void;
}

/** The filters of the history. On a phone they are collapsed, because they would fill the window. */
export const FilterForm = (props: FilterFormProps) => {
  const count = Object.keys(props.filters).length;
  const isRefused = props.failure?.status === 422;
  if (useBreakpoint() !== "phone") return <Fields {...props} />;
  return (
    <ExpandableSection
      key={String(isRefused)}
      headerText={count === 0 ? "Filters" : `Filters (${count})`}
      defaultExpanded={isRefused}
    >
      <Fields {...props} />
    </ExpandableSection>
  );
};

const anyKind = { value: "any", label: "Any change" };
const optionsOf = (kinds: readonly ChangeKind[]) => kinds.map((value) => ({ value, label: kindNames[value] }));
const kindOptions = [
  anyKind,
  { label: "Tokens", options: optionsOf(tokenChangeKinds) },
  { label: "Keys", options: optionsOf(keyChangeKinds) },
];

const texts = [
  { name: "person", label: "Person", placeholder: "Name or token id" },
  { name: "token_id", label: "Token id", placeholder: "" },
  { name: "key_id", label: "key_id", placeholder: "" },
] as const;

const times = [
  { name: "since", label: "Since" },
  { name: "until", label: "Until" },
] as const;

/** The fields as they are typed. */
type Typed = Record<(typeof texts | typeof times)[number]["name"], string>;

const typedOf = ({ person = "", token_id = "", key_id = "", since, until }: HistoryFilters): Typed => ({
  ...{ person, token_id, key_id },
  ...{ since: toField(since), until: toField(until) },
});

/** Spaces are part of a key_id. */
const filtersOf = (typed: Typed, kind = ""): HistoryFilters =>
  parseFilters(
    new URLSearchParams({ ...typed, person: typed.person.trim(), token_id: typed.token_id.trim(), kind }).toString(),
  );

const Fields = ({ filters, failure, onChange }: FilterFormProps) => {
  const id = useId();
  const [typed, setTyped] = useState({ fields: typedOf(filters), filters });
  if (typed.filters !== filters) setTyped({ fields: typedOf(filters), filters });
  const { fields } = typed;
  const type = (change: Partial<Typed>) => setTyped({ fields: { ...fields, ...change }, filters });
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    onChange(filtersOf(fields, filters.kind));
  };
  return (
    <form className="history-filters not-printed" onSubmit={submit}>
      <FormField label="Change" stretch>
        <Select
          options={kindOptions}
          selectedOption={filters.kind ? { value: filters.kind, label: kindNames[filters.kind] } : anyKind}
          onChange={({ detail }) => onChange(filtersOf(fields, detail.selectedOption.value))}
        />
      </FormField>
      {texts.map(({ name, ...about }) => (
        <TextField
          key={name}
          {...about}
          constraintText={
            name === "token_id" && filters.token_id !== undefined && <NameOfToken tokenId={filters.token_id} />
          }
          value={fields[name]}
          error={fieldError(failure, name)}
          onChange={(text) => type({ [name]: text })}
        />
      ))}
      {times.map(({ name, label }) => (
        <FormField key={name} label={label} controlId={id + name} errorText={fieldError(failure, name)} stretch>
          {/* The browser's own field, because phones have a good one. */}
          <input
            id={id + name}
            type="datetime-local"
            className="date-input"
            aria-invalid={fieldError(failure, name) !== ""}
            value={fields[name]}
            onChange={({ target }) => type({ [name]: target.value })}
          />
        </FormField>
      ))}
      <div className="row">
        <Button>Apply</Button>
        {isFiltered(filters) && (
          <Button formAction="none" variant="link" onClick={() => onChange({})}>
            Clear filters
          </Button>
        )}
      </div>
    </form>
  );
};

const NameOfToken = ({ tokenId }: { tokenId: string }) => {
  const token = useKnownToken(tokenId);
  return token && <TokenName token={token} />;
};
