import {
  Button,
  LiveRegion,
  Select,
  SpaceBetween,
  StatusIndicator,
  TextFilter,
  ToggleButton,
} from "@cloudscape-design/components";
import { useMemo } from "react";
import { saveCsv } from "../../../parts/csv.ts";
import { today } from "../../../parts/time.ts";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";
import { attentionCounts, attentionNames, attentions } from "../attention/attention-items.ts";
import { statusNames, tokenStatuses } from "../token/token-status.ts";
import { isFiltered } from "./list-view.ts";
import type { SeveralAction } from "./several/several-plan.ts";
import { tokensAsCsv } from "./tokens-as-csv.ts";
import type { ShownTokens } from "./use-shown-tokens.ts";

const anyState = { value: "any", label: "Any state" };
const states = [anyState, ...tokenStatuses.map((value) => ({ value, label: statusNames[value] }))];

interface TableToolsProps {
  tokens: ShownTokens;
  onSeveral: (action: SeveralAction) => void;
}

/** What is above the table: the filters, what they find, and what can be done with several tokens. */
export const TableTools = ({ tokens, onSeveral }: TableToolsProps) => {
  const { view, change, type, finishTyping } = tokens;
  return (
    <>
      <AttentionFilters tokens={tokens} />
      <search className="list-search row" onBlur={finishTyping}>
        <TextFilter
          filteringText={view.find}
          filteringPlaceholder="Find by comment, address, admin, id or code"
          filteringAriaLabel="Find tokens"
          onChange={({ detail }) => type(detail.filteringText)}
          onDelayedChange={finishTyping}
        />
        <Select
          ariaLabel="State"
          options={states}
          selectedOption={states.find(({ value }) => value === view.status) ?? anyState}
          onChange={({ detail }) =>
            change({ status: tokenStatuses.find((status) => status === detail.selectedOption.value) })
          }
        />
      </search>
      <div className="list-tools row spread">
        <ListStatus tokens={tokens} />
        <SeveralButtons tokens={tokens} onSeveral={onSeveral} />
      </div>
    </>
  );
};

/** One button for each reason why tokens need attention. A second click shows all tokens again. */
const AttentionFilters = ({ tokens: { items, leaks, isArriving, view, change } }: { tokens: ShownTokens }) => {
  const isPhone = useBreakpoint() === "phone";
  const counts = useMemo(() => attentionCounts(items), [items]);
  return (
    <fieldset className="attention-filters row" aria-label="Needs attention">
      {attentions.map((attention) => {
        const { short, rest } = attentionNames[attention];
        const isKnown = attention !== "leaked" || leaks !== undefined;
        return (
          <ToggleButton
            key={attention}
            pressed={attention === view.attention}
            onChange={({ detail }) => change({ attention: detail.pressed ? attention : undefined })}
          >
            {short}
            {rest !== "" && <span {...(isPhone && { className: "screen-reader-only" })}> {rest}</span>}
            {isKnown && ` (${counts[attention].toLocaleString("en")}${isArriving ? "+" : ""})`}
          </ToggleButton>
        );
      })}
    </fieldset>
  );
};

const SeveralButtons = ({ tokens: { found, selected, isArriving }, onSeveral }: TableToolsProps) => {
  const hasSelection = selected.length > 0;
  // There is little room on a phone.
  const isShown = useBreakpoint() !== "phone" || hasSelection;
  return (
    <SpaceBetween direction="horizontal" size="xs">
      {isShown && (
        <Button disabled={!hasSelection} onClick={() => onSeveral("revoke")}>
          Revoke…
        </Button>
      )}
      {isShown && (
        <Button disabled={!hasSelection} onClick={() => onSeveral("expiry")}>
          Set expiry…
        </Button>
      )}
      <Button
        disabled={isArriving || found.length === 0}
        onClick={() => saveCsv(`tokens-${today()}.csv`, tokensAsCsv(found, Date.now()))}
      >
        Export as CSV
      </Button>
    </SpaceBetween>
  );
};

/** How many tokens are found and selected, and whether that is final. */
const ListStatus = ({ tokens }: { tokens: ShownTokens }) => {
  const { all, found, view, selected, isArriving, refreshedCount, order } = tokens;
  const count = all.length.toLocaleString("en");
  return (
    <div className="list-status row">
      <LiveRegion>
        {isFiltered(view) && `${found.length.toLocaleString("en")} found${isArriving ? " so far" : ""}`}
      </LiveRegion>
      {selected.length > 0 ? <Selection tokens={tokens} /> : <span className="remark">None selected</span>}
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
      {!isArriving && order.isHeld && (
        <span>
          Tokens that were loaded later are on the last pages.{" "}
          <Button variant="inline-link" onClick={order.release}>
            Sort all
          </Button>
        </span>
      )}
    </div>
  );
};

const Selection = ({ tokens: { found, selected, select } }: { tokens: ShownTokens }) => {
  const ids = new Set(selected.map(({ token_id }) => token_id));
  const others = found.filter(({ token_id }) => !ids.has(token_id));
  const hiddenCount = selected.length + others.length - found.length;
  return (
    <>
      <span>
        {selected.length.toLocaleString("en")} selected
        {hiddenCount > 0 && ` (${hiddenCount.toLocaleString("en")} of them not shown by the filters)`}
      </span>
      {others.length > 0 && (
        <Button variant="inline-link" onClick={() => select([...selected, ...others])}>
          Select all {found.length.toLocaleString("en")}
        </Button>
      )}
      <Button variant="inline-link" onClick={() => select([])}>
        Clear selection
      </Button>
    </>
  );
};
