import Button from "@cloudscape-design/components/button";
import LiveRegion from "@cloudscape-design/components/live-region";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { fieldError } from "../../../api/api-failure.ts";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import type { HistoryFilters } from "./history-filters.ts";
import { useExport } from "./use-export.ts";

/** Saves all changes that match the filters as a file. Shows its progress, and can be stopped. */
export const ExportTools = ({ filters }: { filters: HistoryFilters }) => {
  const { count, isRunning, isPausing, isDone, failure, start, goOn, stop } = useExport(filters);
  const changes = count === 1 ? "1 change" : `${count.toLocaleString("en")} changes`;
  return (
    <>
      <div className="history-tools">
        <LiveRegion>
          {isRunning && <StatusIndicator type="loading">{changes} so far</StatusIndicator>}
          {isDone && <StatusIndicator type="success">{changes} exported</StatusIndicator>}
        </LiveRegion>
        {/* One button for both, so that it keeps the focus. */}
        <Button loading={isPausing} onClick={isRunning ? stop : start}>
          {isRunning ? "Stop the export" : "Export as CSV"}
        </Button>
      </div>
      {failure && (
        <FailureAlert title="The export was interrupted" failure={failure} onRetry={goOn}>
          {fieldError(failure, "since")}{" "}
          {count > 0 && `${changes} have been collected; the export can go on from there.`}
        </FailureAlert>
      )}
    </>
  );
};
