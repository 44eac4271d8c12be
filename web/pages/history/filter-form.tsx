import Button from "@cloudscape-design/components/button";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import FormField from "@cloudscape-design/components/form-field";
import Select from "@cloudscape-design/components/select";
import { useId, useState } from "react";
import {
  type ChangeKind,
  changeKinds,
  keyChangeKinds,
  tokenChangeKinds,
} from "../../../lambdas/resources/history/change-kinds.ts";
import { type ApiFailure, fieldError } from "../../api/api-failure.ts";
import { TextField } from "../../parts/text-field.tsx";
import { useBreakpoint } from "../../parts/use-breakpoint.ts";
import { TokenName } from "../../tokens/token-name.tsx";
import { useKnownToken } from "../../tokens/token-queries.ts";
import { fromField, type HistoryFilters, isFiltered, kindNames, toField } from "./history-filters.ts";
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

/** The fields as they are typed. */
interface Typed {
  person: string;
  token_id: string;
  key_id: string;
  since: string;
  until: string;
}

const typedOf = ({ person = "", token_id = "", key_id = "", since, until }: HistoryFilters): Typed => ({
  person,
  token_id,
  key_id,
  since: toField(since),
  until: toField(until),
});

const filtersOf = ({ person, token_id, key_id, since, until }: Typed, kind: ChangeKind | undefined): HistoryFilters => {
  const [begin, end] = [fromField(since), fromField(until)];
  return {
    ...(person.trim() !== "" && { person: person.trim() }),
    ...(token_id.trim() !== "" && { token_id: token_id.trim() }),
    // Spaces are part of a key_id.
    ...(key_id !== "" && { key_id }),
    ...(kind && { kind }),
    ...(begin && { since: begin }),
    ...(end && { until: end }),
  };
};

const Fields = ({ filters, failure, onChange }: FilterFormProps) => {
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
          onChange={({ detail }) => {
            const kind = changeKinds.find((name) => name === detail.selectedOption.value);
            onChange(filtersOf(fields, kind));
          }}
        />
      </FormField>
      <TextField
        label="Person"
        placeholder="Name or token id"
        value={fields.person}
        error={fieldError(failure, "person")}
        onChange={(person) => type({ person })}
      />
      <TextField
        label="Token id"
        constraintText={filters.token_id !== undefined && <NameOfToken tokenId={filters.token_id} />}
        value={fields.token_id}
        error={fieldError(failure, "token_id")}
        onChange={(token_id) => type({ token_id })}
      />
      <TextField
        label="key_id"
        value={fields.key_id}
        error={fieldError(failure, "key_id")}
        onChange={(key_id) => type({ key_id })}
      />
      <TimeField
        label="Since"
        value={fields.since}
        error={fieldError(failure, "since")}
        onChange={(since) => type({ since })}
      />
      <TimeField
        label="Until"
        value={fields.until}
        error={fieldError(failure, "until")}
        onChange={(until) => type({ until })}
      />
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

interface TimeFieldProps {
  label: string;
  value: string;
  error: string;
  onChange: (value: string) => void;
}

/** The browser's own field, because phones have a good one. */
const TimeField = ({ label, value, error, onChange }: TimeFieldProps) => {
  const id = useId();
  return (
    <FormField label={label} controlId={id} errorText={error} stretch>
      <input
        id={id}
        type="datetime-local"
        className="date-input"
        aria-invalid={error !== ""}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </FormField>
  );
};
