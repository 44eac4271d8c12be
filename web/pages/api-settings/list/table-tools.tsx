import Button from "@cloudscape-design/components/button";
import Select from "@cloudscape-design/components/select";
import SpaceBetween from "@cloudscape-design/components/space-between";
import TextFilter from "@cloudscape-design/components/text-filter";
import ToggleButton from "@cloudscape-design/components/toggle-button";
import { useMemo } from "react";
import type { Token } from "../../../api/types.ts";
import { saveFile } from "../../../parts/csv.ts";
import { today } from "../../../parts/time.ts";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";
import {
  type Attention,
  type AttentionItem,
  attentionCounts,
  attentionNames,
  attentions,
} from "../attention/attention-items.ts";
import { statusNames, tokenStatuses } from "../token/token-status.ts";
import { ListStatus } from "./list-status.tsx";
import { isFiltered, type ListView } from "./list-view.ts";
import type { SeveralAction } from "./several/several-plan.ts";
import { tokensAsCsv } from "./tokens-as-csv.ts";

const anyState = { value: "any", label: "Any state" };
const states = [anyState, ...tokenStatuses.map((value) => ({ value, label: statusNames[value] }))];

interface TableToolsProps {
  view: ListView;
  change: (changes: Partial<ListView>) => void;
  type: (text: string) => void;
  finishTyping: () => void;
  tokens: Token[];
  /** The tokens that the view leaves, of all pages. */
  arranged: Token[];
  items: readonly AttentionItem[];
  /** Whether the leaks among them are known. */
  hasLeaks: boolean;
  selected: Token[];
  isArriving: boolean;
  refreshedCount: number | undefined;
  isOrderHeld: boolean;
  onSort: () => void;
  onSelect: (tokens: readonly Token[]) => void;
  onSeveral: (action: SeveralAction) => void;
}

/** What is above the table: the filters, what they find, and what can be done with several tokens. */
export const TableTools = (props: TableToolsProps) => {
  const { view, change, type, finishTyping, tokens, arranged, items, selected, isArriving } = props;
  const counts = useMemo(() => attentionCounts(items), [items]);
  return (
    <>
      <AttentionFilters
        counts={props.hasLeaks ? counts : { ...counts, leaked: undefined }}
        isArriving={isArriving}
        chosen={view.attention}
        onChange={(attention) => change({ attention })}
      />
      <search className="list-search" onBlur={finishTyping}>
        <TextFilter
          filteringText={view.find}
          filteringPlaceholder="Find by comment, address, admin, id or code"
          filteringAriaLabel="Find tokens"
          onChange={({ detail }) => type(detail.filteringText)}
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
      <div className="list-tools">
        <ListStatus
          found={arranged}
          isFiltered={isFiltered(view)}
          selected={selected}
          onSelect={props.onSelect}
          count={tokens.length}
          isArriving={isArriving}
          refreshedCount={props.refreshedCount}
          isOrderHeld={props.isOrderHeld}
          onSort={props.onSort}
        />
        <SeveralButtons {...props} />
      </div>
    </>
  );
};

const SeveralButtons = ({ arranged, selected, isArriving, onSeveral }: TableToolsProps) => {
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
        disabled={isArriving || arranged.length === 0}
        onClick={() => saveFile(`tokens-${today()}.csv`, tokensAsCsv(arranged, Date.now()), "text/csv;charset=utf-8")}
      >
        Export as CSV
      </Button>
    </SpaceBetween>
  );
};

interface AttentionFiltersProps {
  /** How many tokens there are for each; none while it is not known. */
  counts: Record<Attention, number | undefined>;
  /** Whether the counts can still grow. */
  isArriving: boolean;
  chosen: Attention | undefined;
  onChange: (attention: Attention | undefined) => void;
}

/** One button for each reason why tokens need attention. A second click shows all tokens again. */
const AttentionFilters = ({ counts, isArriving, chosen, onChange }: AttentionFiltersProps) => {
  const isPhone = useBreakpoint() === "phone";
  return (
    <fieldset className="attention-filters" aria-label="Needs attention">
      {attentions.map((attention) => {
        const { short, rest } = attentionNames[attention];
        const count = counts[attention]?.toLocaleString("en");
        return (
          <ToggleButton
            key={attention}
            pressed={attention === chosen}
            onChange={({ detail }) => onChange(detail.pressed ? attention : undefined)}
          >
            {short}
            {rest !== "" && <span {...(isPhone && { className: "screen-reader-only" })}> {rest}</span>}
            {count !== undefined && ` (${count}${isArriving ? "+" : ""})`}
          </ToggleButton>
        );
      })}
    </fieldset>
  );
};
