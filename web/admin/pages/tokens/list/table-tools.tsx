import {
  Button,
  ButtonDropdown,
  LiveRegion,
  Select,
  type SelectProps,
  StatusIndicator,
  TextFilter,
} from "@cloudscape-design/components";
import { dangerItem } from "../../../parts/danger-button.tsx";
import { today } from "../../../parts/time.ts";
import { saveCsv, tokensAsCsv } from "../../csv-files.ts";
import { attentionNames, attentions } from "../attention/attention-items.ts";
import { statusNames, tokenStatuses } from "../token/token-status.ts";
import { ClientFilter } from "./client-filter.tsx";
import { defaultView, expiringView, isFiltered } from "./list-view.ts";
import type { SeveralAction } from "./several.ts";
import type { ShownTokens } from "./use-shown-tokens.ts";

interface TableToolsProps {
  tokens: ShownTokens;
  onRefresh: () => void;
  onSeveral: (action: SeveralAction) => void;
}

/** The tools above the table: filters, the number of matches, and actions on several tokens. */
export const TableTools = ({ tokens, onRefresh, onSeveral }: TableToolsProps) => {
  const { query, view, found, isArriving, type, finishTyping } = tokens;
  return (
    <>
      <search className="list-search row" onBlur={finishTyping}>
        <TextFilter
          filteringText={view.find}
          filteringPlaceholder="Find by name, address, admin, id or code"
          filteringAriaLabel="Find tokens"
          onChange={({ detail }) => type(detail.filteringText)}
          onDelayedChange={finishTyping}
        />
        <Filter tokens={tokens} />
        <ClientFilter tokens={tokens} />
        <Button iconName="refresh" ariaLabel="Refresh" loading={query.isFetching} onClick={onRefresh} />
        <Button
          iconName="download"
          ariaLabel="Export as CSV"
          disabled={isArriving || found.length === 0}
          disabledReason={isArriving ? "The tokens are still being loaded." : "There is nothing to export."}
          onClick={() => saveCsv(`tokens-${today()}.csv`, tokensAsCsv(found, Date.now()))}
        />
      </search>
      <div className="list-status row spread">
        <ListStatus tokens={tokens} />
        {tokens.selected.length > 0 && <SelectionActions tokens={tokens} onSeveral={onSeveral} />}
      </div>
    </>
  );
};

const every = { value: "", label: "All tokens" };
const states = tokenStatuses.map((value) => ({ value: `state=${value}`, label: statusNames[value] }));

/** Filters by state or by reason to need attention. Reasons without tokens are not offered. */
const Filter = ({ tokens: { reasons: ids, isArriving, view, change } }: { tokens: ShownTokens }) => {
  const reasons = attentions
    .filter((attention) => ids[attention].size > 0 || attention === view.attention)
    .map((attention) => ({
      value: `show=${attention}`,
      label: `${attentionNames[attention]} (${inWords(ids[attention].size, isArriving)})`,
    }));
  const options: SelectProps.Options = [
    every,
    { label: "State", options: states },
    ...(reasons.length > 0 ? [{ label: "Needs attention", options: reasons }] : []),
  ];
  const selected = view.attention ? `show=${view.attention}` : `state=${view.status}`;
  return (
    <Select
      ariaLabel="Filter"
      options={options}
      selectedOption={[...states, ...reasons].find(({ value }) => value === selected) ?? every}
      onChange={({ detail: { selectedOption } }) =>
        change({
          attention: attentions.find((attention) => selectedOption.value === `show=${attention}`),
          status: tokenStatuses.find((status) => selectedOption.value === `state=${status}`),
        })
      }
    />
  );
};

const inWords = (count: number, isArriving: boolean): string => `${count.toLocaleString("en")}${isArriving ? "+" : ""}`;

/** Shows the tokens that expire soon, if there are any, the earliest first, or all tokens again. */
const ExpiringFilter = ({ tokens: { reasons, isArriving, view, change } }: { tokens: ShownTokens }) => {
  if (view.attention !== "expiring") {
    return reasons.expiring.size === 0 ? null : (
      <Button variant="inline-link" onClick={() => change({ ...view, ...expiringView })}>
        {`${attentionNames.expiring} (${inWords(reasons.expiring.size, isArriving)})`}
      </Button>
    );
  }
  return (
    <Button variant="inline-link" onClick={() => change({ ...defaultView, find: view.find })}>
      Show all tokens
    </Button>
  );
};

/** Offers actions on the selected tokens. */
const SelectionActions = ({ tokens: { found, selected, select }, onSeveral }: Omit<TableToolsProps, "onRefresh">) => {
  const ids = new Set(selected.map(({ token_id }) => token_id));
  const others = found.filter(({ token_id }) => !ids.has(token_id));
  return (
    <ButtonDropdown
      renderItem={dangerItem("revoke")}
      items={[
        { id: "revoke", text: "Revoke…" },
        { id: "expiry", text: "Set expiry…" },
        { id: "all", text: `Select all ${found.length.toLocaleString("en")}`, disabled: others.length === 0 },
        { id: "none", text: "Clear selection" },
      ]}
      onItemClick={({ detail: { id } }) => {
        if (id === "revoke" || id === "expiry") onSeveral(id);
        else select(id === "all" ? [...selected, ...others] : []);
      }}
    >
      Selected tokens
    </ButtonDropdown>
  );
};

/** Shows how many tokens match and are selected, and whether the number is final. */
const ListStatus = ({ tokens }: { tokens: ShownTokens }) => {
  const { all, found, view, selected, isArriving, order } = tokens;
  const count = all.length.toLocaleString("en");
  const shownIds = new Set(found.map(({ token_id }) => token_id));
  const hiddenCount = selected.filter(({ token_id }) => !shownIds.has(token_id)).length;
  return (
    <div className="row">
      <ExpiringFilter tokens={tokens} />
      <LiveRegion>
        {isFiltered(view) && `${found.length.toLocaleString("en")} found${isArriving ? " so far" : ""}`}
      </LiveRegion>
      {selected.length > 0 && (
        <span>
          {selected.length.toLocaleString("en")} selected
          {hiddenCount > 0 && ` (${hiddenCount.toLocaleString("en")} of them not shown)`}
        </span>
      )}
      {isArriving && (
        <StatusIndicator type="loading">{count} tokens loaded so far: counts and order are not final</StatusIndicator>
      )}
      <LiveRegion hidden>
        {isArriving && "The first tokens are shown. More are being loaded."}
        {!isArriving && all.length > 0 && `All tokens are loaded: ${all.length}.`}
      </LiveRegion>
      {!isArriving && order.laterCount > 0 && (
        <Button variant="inline-link" onClick={order.release}>
          {order.laterCount.toLocaleString("en")} new: show
        </Button>
      )}
    </div>
  );
};
