import type { TableProps } from "@cloudscape-design/components/table";
import type { Change } from "../../api/types.ts";
import { ChangeSentence, ChangeSource } from "../../changes/change-sentence.tsx";
import type { Breakpoint } from "../../parts/use-breakpoint.ts";
import { Address, ExactMoment } from "../../parts/values.tsx";

/** Narrow windows have fewer columns, which show as much. */
export const historyColumns = (breakpoint: Breakpoint): TableProps.ColumnDefinition<Change>[] =>
  ({ phone: [card], tablet: [when, changeAndSource], desktop: [when, what, from, request] })[breakpoint];

const when: TableProps.ColumnDefinition<Change> = {
  id: "time",
  header: "When",
  width: 230,
  cell: ({ time }) => <ExactMoment time={time} />,
};

const what: TableProps.ColumnDefinition<Change> = {
  id: "change",
  header: "Change",
  isRowHeader: true,
  minWidth: 300,
  cell: (change) => <ChangeSentence change={change} />,
};

const from: TableProps.ColumnDefinition<Change> = {
  id: "from",
  header: "Address",
  width: 200,
  cell: ({ from }) => (from === null ? "–" : <Address ip={from} />),
};

const request: TableProps.ColumnDefinition<Change> = {
  id: "request",
  header: "Request id",
  width: 200,
  cell: ({ request_id }) => <code className="address breakable">{request_id}</code>,
};

const changeAndSource: TableProps.ColumnDefinition<Change> = {
  ...what,
  cell: (change) => (
    <>
      <ChangeSentence change={change} />
      <ChangeSource change={change} />
    </>
  ),
};

const card: TableProps.ColumnDefinition<Change> = {
  ...what,
  minWidth: 100,
  cell: (change) => (
    <div className="change-card">
      <ChangeSentence change={change} />
      <ExactMoment time={change.time} />
      <ChangeSource change={change} />
    </div>
  ),
};
