import { Button, LiveRegion, StatusIndicator } from "@cloudscape-design/components";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type ApiFailure, fieldError } from "../../api/api-failure.ts";
import type { Change } from "../../api/types.ts";
import { useApp } from "../../parts/app-context.tsx";
import { saveCsv } from "../../parts/csv.ts";
import { FailureAlert } from "../../parts/failures.tsx";
import { localMoment } from "../../parts/time.ts";
import { useOnce } from "../../parts/use-once.ts";
import { listKey, type Trusts, trustsKey } from "../../records/caches.ts";
import type { TokenList } from "../../records/token-list.ts";
import { historyAsCsv } from "./history-as-csv.ts";
import { type HistoryFilters, inputOf } from "./history-filters.ts";

/** Saves all changes that match the filters as a file. Shows the progress and can be stopped. */
export const ExportTools = ({ filters }: { filters: HistoryFilters }) => {
  const { count, isRunning, isPausing, isDone, failure, start, goOn, stop } = useExport(filters);
  const changes = count === 1 ? "1 change" : `${count.toLocaleString("en")} changes`;
  return (
    <>
      <div className="history-tools row at-end">
        <LiveRegion>
          {isRunning && <StatusIndicator type="loading">{changes} so far</StatusIndicator>}
          {isDone && <StatusIndicator type="success">{changes} exported</StatusIndicator>}
        </LiveRegion>
        {/* One button serves for start and stop, so that it keeps the focus. */}
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

/** The page size of requests for changes. */
const pageSize = 1_000;

/** The changes that an export has collected so far. */
interface Collected {
  changes: Change[];
  /** Where to continue. */
  cursor: string | undefined;
}

/**
 * Collects all changes that match the filters, page by page, and saves them as a file. After a failure, the export can continue.
 */
const useExport = (filters: HistoryFilters) => {
  const { api } = useApp();
  const client = useQueryClient();
  const collected = useRef<Collected>({ changes: [], cursor: undefined });
  const running = useRef<AbortController>(undefined);
  const [count, setCount] = useState(0);

  const collect = useOnce<void, Change[], ApiFailure>(
    async () => {
      const { changes } = collected.current;
      const stop = new AbortController();
      running.current = stop;
      for (;;) {
        const input = { ...inputOf(filters), limit: pageSize, cursor: collected.current.cursor };
        const page = await api("history", input, { signal: stop.signal });
        changes.push(...page.changes);
        setCount(changes.length);
        if (page.next_cursor === null) return changes;
        collected.current.cursor = page.next_cursor;
      }
    },
    {
      isRepeatable: true,
      onDone: (changes) => {
        const tokens = client.getQueryData<TokenList>(listKey)?.byId;
        const trusts = client.getQueryData<Trusts>(trustsKey);
        const text = historyAsCsv(changes, (id) => (tokens?.get(id) ?? trusts?.get(id))?.comment ?? "");
        saveCsv(fileName(), text);
      },
    },
  );
  useEffect(() => () => running.current?.abort(), []);

  return {
    count,
    isRunning: collect.isRunning,
    isPausing: collect.isLocked && !collect.isRunning,
    isDone: collect.result !== undefined,
    failure: collect.failure,
    start: () => {
      if (collect.isLockedNow()) return;
      collected.current = { changes: [], cursor: undefined };
      setCount(0);
      collect.run();
    },
    goOn: collect.run,
    stop: () => {
      if (collect.hasJustBegun()) return;
      running.current?.abort();
      collect.reset();
    },
  };
};

/** Returns a file name with this browser's local time, such as "history-2026-11-21-193000.csv". */
const fileName = (): string => {
  const { date, clock } = localMoment(new Date().toISOString());
  return `history-${date}-${clock.replaceAll(":", "")}.csv`;
};
