import { type AutosuggestProps, Button, ExpandableSection, FormField, Select } from "@cloudscape-design/components";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type ChangeKind, keyChangeKinds, tokenChangeKinds } from "../../../../lambdas/domain/history/change-kinds.ts";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import { type ApiFailure, fieldError } from "../../api/api-failure.ts";
import type { ActionResponse } from "../../api/types.ts";
import { useApp } from "../../parts/app-context.tsx";
import { useBreakpoint } from "../../parts/browser.ts";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { TokenName, tokenName } from "../../parts/token-name.tsx";
import { authorOf, titleOf } from "../../parts/values.tsx";
import type { TokenList } from "../../records/caches.ts";
import { useTokensOnce } from "../../records/token-list.ts";
import { useKnownToken } from "../../records/token-queries.ts";
import { SuggestField, TimeFilter } from "./filter-fields.tsx";
import {
  authorGroupOf,
  countFilters,
  type HistoryFilters,
  historyPagesKey,
  isTokenId,
  kindNames,
  kindOf,
  rangeError,
  readTyped,
  type TypedFilters,
} from "./history-filters.ts";

interface FilterFormProps {
  filters: HistoryFilters;
  failure: ApiFailure | null;
  onChange: (filters: HistoryFilters) => void;
}

/** The history's filters. On a phone they are collapsed, because they would fill the window. */
export const FilterForm = (props: FilterFormProps) => {
  const count = countFilters(props.filters);
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
const tokenOptions = [anyKind, { label: "Tokens", options: optionsOf(tokenChangeKinds) }];
const allOptions = [...tokenOptions, { label: "Keys", options: optionsOf(keyChangeKinds) }];

const authors = [
  { value: "anybody", label: "Anybody" },
  { value: "admins", label: "Admins" },
  { value: "clients", label: "Clients" },
];

const noTokens: TokenList["byId"] = new Map();

/** What the user has typed since these filters were applied. */
interface Edit {
  typed: TypedFilters;
  filters: HistoryFilters;
  /** Whether the user has tried to apply the edit. Until then, the form shows no errors itself. */
  isApplied: boolean;
}

const Fields = ({ filters, failure, onChange }: FilterFormProps) => {
  const tokens = useTokensOnce().data?.byId ?? noTokens;
  const people = usePeople();
  const hasKeys = useApp().settings.pages.includes(addresses.keys);
  const tokenSuggestions = useTokenSuggestions(tokens);
  const [edit, setEdit] = useState<Edit>({ typed: {}, filters, isApplied: false });
  const { typed, isApplied }: Edit = edit.filters === filters ? edit : { typed: {}, filters, isApplied: false };
  const { shown, next, tokenError } = readTyped(filters, typed, tokens);

  const type = (now: TypedFilters) => setEdit({ typed: { ...typed, ...now }, filters, isApplied: false });
  /** Shows the given filters, even if they are the same as before. */
  const change = (changed: HistoryFilters) => {
    setEdit({ typed: {}, filters, isApplied: false });
    onChange(changed);
  };
  /** Applies earlier and new input, unless something is wrong with it. */
  const apply = (now: TypedFilters = {}) => {
    const all = { ...typed, ...now };
    const read = readTyped(filters, all, tokens);
    if (read.tokenError === "" && rangeError(read.next) === "") change(read.next);
    else setEdit({ typed: all, filters, isApplied: true });
  };
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    apply();
  };
  return (
    <form className="history-filters row not-printed" onSubmit={submit}>
      <FormField label="Change" stretch>
        <Select
          options={hasKeys ? allOptions : tokenOptions}
          selectedOption={filters.kind ? { value: filters.kind, label: kindNames[filters.kind] } : anyKind}
          onChange={({ detail }) => change({ ...next, kind: kindOf(detail.selectedOption.value) })}
        />
      </FormField>
      <SelectField
        label="Made by"
        value={filters.made_by ?? "anybody"}
        error={fieldError(failure, "made_by")}
        options={authors}
        onChange={(author) => change({ ...next, made_by: authorGroupOf(author) })}
      />
      <SuggestField
        label="Person"
        placeholder="Name, or how it begins"
        text={shown.person}
        error={fieldError(failure, "person")}
        constraintText={isTokenId(shown.person) && <ClientOf id={shown.person} />}
        options={people}
        enteredText={(text) => `Names that begin with “${text}”`}
        onType={(person) => type({ person })}
        onChoose={(person) => change({ ...next, person, person_prefix: undefined })}
        onEnter={(person) => apply({ person })}
      />
      <SuggestField
        label="Token"
        placeholder="Name or id"
        text={shown.token}
        error={(isApplied && tokenError) || fieldError(failure, "token_id")}
        options={tokenSuggestions}
        enteredText={(text) => `The token “${text}”`}
        onType={(token) => type({ token })}
        onChoose={(token) => apply({ token })}
        onEnter={(token) => apply({ token })}
      />
      {hasKeys && (
        <TextField
          label="key_id"
          value={shown.key_id}
          error={fieldError(failure, "key_id")}
          onChange={(key_id) => type({ key_id })}
        />
      )}
      <div className="history-times row">
        <TimeFilter
          shown={shown}
          sinceError={rangeError(isApplied ? next : filters) || fieldError(failure, "since")}
          untilError={fieldError(failure, "until")}
          onChoose={(time) => (time === "between" ? type({ time }) : apply({ time }))}
          onType={type}
        />
        <div className="row">
          <Button>Apply</Button>
          {countFilters(filters) > 0 && (
            <Button formAction="none" variant="link" onClick={() => change({})}>
              Clear filters
            </Button>
          )}
        </div>
      </div>
    </form>
  );
};

/** Names the client that a token's id belongs to. */
const ClientOf = ({ id }: { id: string }) => {
  const token = useKnownToken(id);
  const { title, link } = titleOf(id);
  return (
    token && (
      <>
        {title}
        {link}
        <TokenName token={token} />
      </>
    )
  );
};

/** Returns the user's name and the names of all people in the changes that have been loaded. */
const usePeople = (): AutosuggestProps.Options => {
  const { session } = useApp();
  const pages = useQueryClient().getQueriesData<ActionResponse<"history">>({ queryKey: historyPagesKey });
  const names = new Set([session.username]);
  for (const [, page] of pages) {
    for (const { by } of page?.changes ?? []) {
      const author = authorOf(by);
      if (author.type !== "client" && author.name !== undefined) names.add(author.name);
    }
  }
  return [...names].toSorted(collator.compare).map((value) => ({ value }));
};

/** Returns all tokens by name, with their ids. */
const useTokenSuggestions = (tokens: TokenList["byId"]): AutosuggestProps.Options =>
  useMemo(
    () =>
      [...tokens.values()]
        .map((token) => ({ value: token.token_id, label: tokenName(token), description: token.ip ?? "" }))
        .toSorted((one, other) => collator.compare(one.label, other.label)),
    [tokens],
  );

const collator = new Intl.Collator("en", { numeric: true });
