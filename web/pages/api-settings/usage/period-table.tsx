import Table, { type TableProps } from "@cloudscape-design/components/table";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";
import { callsIn, countsText, outcomes, type Period, spanOf, utcSpanOf } from "./periods.ts";
import { outcomeNames } from "./usage-chart.tsx";

const when: TableProps.ColumnDefinition<Period> = {
  id: "span",
  header: "When",
  isRowHeader: true,
  cell: (period) => (
    <span className="nowrap" title={utcSpanOf(period)}>
      {spanOf(period)}
    </span>
  ),
};

const counts: TableProps.ColumnDefinition<Period>[] = outcomes.map((id) => ({
  id,
  header: outcomeNames[id],
  cell: ({ counts }) => counts[id].toLocaleString("en"),
}));

const calls: TableProps.ColumnDefinition<Period> = { id: "calls", header: "Calls", cell: countsText };

const reasons: TableProps.ColumnDefinition<Period> = {
  id: "reasons",
  header: "Reasons",
  cell: ({ codes }) =>
    Object.entries(codes)
      .toSorted(([, one], [, other]) => other - one)
      .map(([code, count]) => `${code} ${count.toLocaleString("en")}`)
      .join(", ") || "–",
};

/** The figures of the chart, newest first, without the periods that have no calls. */
export const PeriodTable = ({ periods }: { periods: Period[] }) => {
  const breakpoint = useBreakpoint();
  return (
    <Table
      items={periods.filter((period) => callsIn(period) > 0).toReversed()}
      columnDefinitions={breakpoint === "phone" ? [when, calls] : [when, ...counts, reasons]}
      trackBy="from"
      variant="embedded"
      contentDensity="compact"
      wrapLines
      ariaLabels={{ tableLabel: "Calls by outcome" }}
    />
  );
};
