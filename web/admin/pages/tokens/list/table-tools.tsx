import {
  Button,
  ButtonDropdown,
  LiveRegion,
  Select,
  type SelectProps,
  StatusIndicator,
  TextFilter,
} from "@cloudscape-design/components";
import { useMemo } from "react";
import { dangerItem } from "../../../parts/danger-button.tsx";
import { today } from "../../../parts/time.ts";
import { saveCsv, tokensAsCsv } from "../../csv-files.ts";
import { attentionCounts, attentionNames, attentions } from "../attention/attention-items.ts";
import { statusNames, tokenStatuses } from "../token/token-status.ts";
import { trustSectionId } from "../trusts/trust-section.tsx";
import { isFiltered } from "./list-view.ts";
import { type SeveralAction, tokensInWords } from "./several.ts";
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
          filteringPlaceholder="Find by comment, address, admin, id or code"
          filteringAriaLabel="Find tokens"
          onChange={({ detail }) => type(detail.filteringText)}
          onDelayedChange={finishTyping}
        />
        <Filter tokens={tokens} />
        <Button iconName="refresh" ariaLabel="Refresh" loading={query.isFetching} onClick={onRefresh} />
        <Button
          iconName="download"
          ariaLabel="Export as CSV"
          disabled={isArriving || found.length === 0}
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
const Filter = ({ tokens: { items, isArriving, view, change } }: { tokens: ShownTokens }) => {
  const counts = useMemo(() => attentionCounts(items), [items]);
  const reasons = attentions
    .filter((attention) => counts[attention] > 0 || attention === view.attention)
    .map((attention) => ({
      value: `show=${attention}`,
      label: `${attentionNames[attention]} (${counts[attention].toLocaleString("en")}${isArriving ? "+" : ""})`,
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
  const { query, all, ofClients, found, view, selected, isArriving, refreshedCount, order } = tokens;
  const count = all.length.toLocaleString("en");
  const shownIds = new Set(found.map(({ token_id }) => token_id));
  const hiddenCount = selected.filter(({ token_id }) => !shownIds.has(token_id)).length;
  return (
    <div className="row">
      <LiveRegion>
        {isFiltered(view) && `${found.length.toLocaleString("en")} found${isArriving ? " so far" : ""}`}
      </LiveRegion>
      {selected.length === 0 && !isFiltered(view) && !isArriving && query.data && (
        <span>{tokensInWords(ofClients.length)}</span>
      )}
      {selected.length === 0 && !isFiltered(view) && all.length > ofClients.length && (
        <Button variant="inline-link" onClick={() => document.getElementById(trustSectionId)?.scrollIntoView()}>
          {`${tokensInWords(all.length - ofClients.length)} of trusted workloads`}
        </Button>
      )}
      {selected.length > 0 && (
        <span>
          {selected.length.toLocaleString("en")} selected
          {hiddenCount > 0 && ` (${hiddenCount.toLocaleString("en")} of them not shown)`}
        </span>
      )}
      {isArriving && (
        <StatusIndicator type="loading">{count} tokens loaded so far: counts and order are not final</StatusIndicator>
      )}
      {refreshedCount !== undefined && (
        <StatusIndicator type="loading">
          Refreshing: {refreshedCount.toLocaleString("en")} tokens loaded so far
        </StatusIndicator>
      )}
      <LiveRegion hidden>
        {isArriving && "The first tokens are shown. More are being loaded."}
        {!isArriving && all.length > 0 && `${count} tokens loaded.`}
      </LiveRegion>
      {!isArriving && order.laterCount > 0 && (
        <Button variant="inline-link" onClick={order.release}>
          {order.laterCount.toLocaleString("en")} new: show
        </Button>
      )}
    </div>
  );
};
