import { Button, LiveRegion, StatusIndicator } from "@cloudscape-design/components";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type ApiFailure, fieldError } from "../../api/api-failure.ts";
import type { Change } from "../../api/types.ts";
import { useApp } from "../../parts/app-context.tsx";
import { FailureAlert } from "../../parts/failures.tsx";
import { localMoment } from "../../parts/time.ts";
import { useOnce } from "../../parts/use-once.ts";
import type { TokenList } from "../../records/caches.ts";
import { listKey, type Trusts, trustsKey } from "../../records/caches.ts";
import { historyAsCsv, saveCsv } from "../csv-files.ts";
import { type HistoryFilters, inputOf } from "./history-filters.ts";

interface ExportToolsProps {
  filters: HistoryFilters;
  /** Whether there is nothing to export. */
  isEmpty: boolean;
}

/**
 * Saves all changes that match the filters as a file. The changes are collected page by page. The export shows its progress, can be
 * stopped, and can continue after a failure.
 */
export const ExportTools = ({ filters, isEmpty }: ExportToolsProps) => {
  const { api } = useApp();
  const client = useQueryClient();
  const collected = useRef<{ changes: Change[]; cursor: string | undefined }>({ changes: [], cursor: undefined });
  const running = useRef<AbortController>(undefined);
  const [count, setCount] = useState(0);
  useEffect(() => () => running.current?.abort(), []);

  const collect = useOnce<void, Change[], ApiFailure>(
    async () => {
      const { changes } = collected.current;
      running.current = new AbortController();
      const { signal } = running.current;
      for (;;) {
        const { cursor } = collected.current;
        const page = await api("history", { ...inputOf(filters), limit: 1_000, cursor }, { signal });
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
        const { date, clock } = localMoment(new Date().toISOString());
        saveCsv(`history-${date}-${clock.replaceAll(":", "")}.csv`, text);
      },
    },
  );
  const { isRunning, failure } = collect;
  const start = () => {
    if (collect.isLockedNow()) return;
    collected.current = { changes: [], cursor: undefined };
    setCount(0);
    collect.run();
  };
  const stop = () => {
    if (collect.hasJustBegun()) return;
    running.current?.abort();
    collect.reset();
  };
  const changes = count === 1 ? "1 change" : `${count.toLocaleString("en")} changes`;
  return (
    <>
      <div className="history-tools row at-end">
        <LiveRegion>
          {isRunning && <StatusIndicator type="loading">{changes} so far</StatusIndicator>}
          {collect.result && <StatusIndicator type="success">{changes} exported</StatusIndicator>}
        </LiveRegion>
        {/* One button serves for start and stop, so that it keeps the focus. */}
        <Button disabled={isEmpty} loading={collect.isLocked && !isRunning} onClick={isRunning ? stop : start}>
          {isRunning ? "Stop the export" : "Export as CSV"}
        </Button>
      </div>
      {failure && (
        <FailureAlert title="The export was interrupted" failure={failure} onRetry={collect.run}>
          {fieldError(failure, "since")}{" "}
          {count > 0 && `${changes} have been collected; the export can continue from there.`}
        </FailureAlert>
      )}
    </>
  );
};
