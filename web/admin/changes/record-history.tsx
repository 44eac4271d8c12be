import { SpaceBetween } from "@cloudscape-design/components";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { addresses } from "../../../lambdas/shared/addresses.ts";
import { loadPages } from "../api/admin-api.ts";
import type { Change } from "../api/types.ts";
import { useApp } from "../parts/app-context.tsx";
import { LoadStatus } from "../parts/failures.tsx";
import { PageLink, Section } from "../parts/page.tsx";
import { ExactMoment, ZoneNote } from "../parts/values.tsx";
import { changesKey, type RecordName } from "../records/caches.ts";
import { ChangeSentence, ChangeSource, DroppedNote } from "./change-sentence.tsx";

/** The known changes to a record. */
interface RecordChanges {
  /** Newest first. */
  changes: Change[];
  /** How many older changes are no longer kept. */
  dropped: number;
}

/** Loads the changes to a token, or to all keys that have had this key_id. */
export const useRecordChanges = (record: RecordName) => {
  const { api } = useApp();
  return useQuery({
    queryKey: changesKey(record),
    queryFn: async ({ signal }): Promise<RecordChanges> => {
      const pages = await loadPages((cursor) => api("history", { ...record, limit: 1000, cursor }, { signal }));
      return {
        changes: pages.flatMap(({ changes }) => changes),
        dropped: Math.max(...pages.map(({ dropped }) => dropped)),
      };
    },
  });
};

interface RecordHistoryProps {
  record: RecordName;
  /** A link to other changes. */
  related?: ReactNode;
  /** A note below a change. */
  noteOn?: ((change: Change) => ReactNode) | undefined;
}

/** Shows the history of a token or a key, newest first. */
export const RecordHistory = ({ record, related, noteOn }: RecordHistoryProps) => {
  const query = useRecordChanges(record);
  const { data } = query;
  return (
    <Section
      title="History"
      description={<ZoneNote />}
      actions={
        <SpaceBetween direction="horizontal" size="m">
          {related}
          <PageLink href={addresses.historyOf({ ...record })}>Filter or export</PageLink>
        </SpaceBetween>
      }
    >
      <SpaceBetween size="m">
        <LoadStatus subject="history" query={query} />
        {data && <Changes {...{ record, noteOn, ...data }} />}
      </SpaceBetween>
    </Section>
  );
};

type ChangesProps = Pick<RecordHistoryProps, "record" | "noteOn"> & RecordChanges;

const Changes = ({ record, changes, dropped, noteOn }: ChangesProps) => (
  <SpaceBetween size="s">
    {changes.length === 0 && "No change has been recorded yet."}
    <ol className="record-history">
      {changes.map((change) => (
        <li key={`${change.kind} ${change.time}`} className={`change-${change.kind}`}>
          <ChangeSentence change={change} subject={record} />
          {noteOn?.(change)}
          <ExactMoment time={change.time} />
          <ChangeSource change={change} />
        </li>
      ))}
    </ol>
    {dropped > 0 && <DroppedNote dropped={dropped} />}
  </SpaceBetween>
);
