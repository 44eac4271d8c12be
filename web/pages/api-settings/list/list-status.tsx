import Button from "@cloudscape-design/components/button";
import LiveRegion from "@cloudscape-design/components/live-region";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { isFiltered } from "./list-view.ts";
import type { ShownTokens } from "./use-shown-tokens.ts";

/** How many tokens are found and selected, and whether that is final. */
export const ListStatus = ({ tokens }: { tokens: ShownTokens }) => {
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
