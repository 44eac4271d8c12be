import Table, { type TableProps } from "@cloudscape-design/components/table";
import { useRoom } from "../../../parts/use-room.ts";
import { callsIn, type Period, spanOf } from "./periods.ts";

const number = (id: "answered" | "refused" | "failed", header: string): TableProps.ColumnDefinition<Period> => ({
  id,
  header,
  cell: ({ counts }) => counts[id].toLocaleString("en"),
});

const columns: TableProps.ColumnDefinition<Period>[] = [
  { id: "span", header: "When", isRowHeader: true, cell: spanOf },
  number("answered", "Answered"),
  number("refused", "Refused"),
  number("failed", "Failed"),
];

const reasons: TableProps.ColumnDefinition<Period> = {
  id: "reasons",
  header: "Reasons",
  cell: ({ codes }) =>
    Object.entries(codes)
      .toSorted(([, one], [, other]) => other - one)
      .map(([code, count]) => `${code} ${count.toLocaleString("en")}`)
      .join(", ") || "–",
};

/** The figures of the chart, the newest first: periods without calls are left out. */
export const PeriodTable = ({ periods }: { periods: Period[] }) => {
  const room = useRoom();
  return (
    <Table
      items={periods.filter((period) => callsIn(period) > 0).toReversed()}
      columnDefinitions={room === "phone" ? columns : [...columns, reasons]}
      trackBy="from"
      variant="embedded"
      contentDensity="compact"
      wrapLines
      ariaLabels={{ tableLabel: "Calls by outcome" }}
    />
  );
};
