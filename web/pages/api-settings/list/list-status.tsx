import Button from "@cloudscape-design/components/button";
import LiveRegion from "@cloudscape-design/components/live-region";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import type { Token } from "../../../api/types.ts";

interface ListStatusProps {
  /** The tokens that the filters leave, of all pages. */
  found: readonly Token[];
  isFiltered: boolean;
  selected: readonly Token[];
  onSelect: (tokens: readonly Token[]) => void;
  /** How many tokens are shown. */
  count: number;
  /** Whether others are still to come. */
  isArriving: boolean;
  /** How many tokens have arrived again in a refresh that takes a while; `undefined` if there is none. */
  refreshedCount: number | undefined;
  /** Whether tokens that arrived later have to wait for their places. */
  isOrderHeld: boolean;
  onSort: () => void;
}

/** How many tokens are found and selected, and whether that is final. */
export const ListStatus = (props: ListStatusProps) => {
  const { found, isFiltered, selected, count, isArriving, refreshedCount, isOrderHeld, onSort } = props;
  return (
    <div className="list-status">
      <LiveRegion>
        {isFiltered && `${found.length.toLocaleString("en")} found${isArriving ? " so far" : ""}`}
      </LiveRegion>
      {selected.length > 0 ? <Selection {...props} /> : <span className="remark">None selected</span>}
      {isArriving && (
        <StatusIndicator type="loading">
          {count.toLocaleString("en")} tokens loaded so far: counts and order are not final
        </StatusIndicator>
      )}
      {refreshedCount !== undefined && (
        <StatusIndicator type="loading">
          Refreshing: {refreshedCount.toLocaleString("en")} tokens loaded so far
        </StatusIndicator>
      )}
      <LiveRegion hidden>
        {isArriving && "The first tokens are shown. More are being loaded."}
        {!isArriving && count > 0 && `${count.toLocaleString("en")} tokens loaded.`}
      </LiveRegion>
      {!isArriving && isOrderHeld && (
        <span>
          Tokens that were loaded later are on the last pages.{" "}
          <Button variant="inline-link" onClick={onSort}>
            Sort all
          </Button>
        </span>
      )}
    </div>
  );
};

const Selection = ({ found, selected, onSelect }: ListStatusProps) => {
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
        <Button variant="inline-link" onClick={() => onSelect([...selected, ...others])}>
          Select all {found.length.toLocaleString("en")}
        </Button>
      )}
      <Button variant="inline-link" onClick={() => onSelect([])}>
        Clear selection
      </Button>
    </>
  );
};
