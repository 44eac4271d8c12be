import Button from "@cloudscape-design/components/button";
import LiveRegion from "@cloudscape-design/components/live-region";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { useFocusAfterwards } from "../../parts/focus.ts";
import { costOfReading } from "./search-cost.ts";
import type { useKeySearch } from "./use-key-search.ts";

interface SearchProgressProps {
  search: ReturnType<typeof useKeySearch>;
  isSearching: boolean;
  onStop: () => void;
  onGoOn: () => void;
}

const count = (value: number): string => value.toLocaleString("en");

/** How far a search has come and what it has cost, with a button that stops it or lets it go on. */
export const SearchProgress = ({ search, isSearching, onStop, onGoOn }: SearchProgressProps) => {
  const { found, examined, isComplete, isPaused } = search;
  return (
    <div className="search-progress">
      <LiveRegion>
        <StatusIndicator type={isSearching ? "loading" : isComplete ? "success" : "stopped"}>
          {isComplete ? "Searched all" : "Searched"} {count(examined)} keys, found {count(found.length)}
        </StatusIndicator>
      </LiveRegion>
      {examined > 0 && <span className="remark">This has cost {costOfReading(examined)}.</span>}
      {!isComplete && (isSearching || isPaused) && <StopButton {...{ isSearching, onStop, onGoOn }} />}
    </div>
  );
};

/** One button for both, so that it keeps the focus. */
const StopButton = ({ isSearching, onStop, onGoOn }: Omit<SearchProgressProps, "search">) => {
  useFocusAfterwards();
  return <Button onClick={isSearching ? onStop : onGoOn}>{isSearching ? "Stop" : "Continue"}</Button>;
};
