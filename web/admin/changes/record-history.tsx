import { SpaceBetween } from "@cloudscape-design/components";
import type { ReactNode } from "react";
import { addresses } from "../../../lambdas/shared/addresses.ts";
import type { Change } from "../api/types.ts";
import { LoadStatus } from "../parts/failures.tsx";
import { PageLink } from "../parts/page.tsx";
import { Section } from "../parts/section.tsx";
import { ExactMoment, ZoneNote } from "../parts/values.tsx";
import { ChangeSentence, ChangeSource, DroppedNote } from "./change-sentence.tsx";
import { type RecordChanges, type RecordName, useRecordChanges } from "./record-changes.ts";

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
