import type { TableProps } from "@cloudscape-design/components";
import { SmallTable } from "../../../parts/list-table.tsx";
import {
  callsIn,
  countsText,
  type Outcome,
  outcomes,
  type Period,
  type Range,
  ranges,
  spanOf,
  tickOf,
  topOf,
  totalOf,
  utcSpanOf,
} from "./periods.ts";
import "./usage-chart.css";

const outcomeNames: Record<Outcome, string> = { answered: "Successful", refused: "Rejected", failed: "Failed" };

const colours: Record<Outcome, string> = {
  answered: "var(--answered)",
  refused: "var(--refused)",
  failed: "var(--red)",
};

/** In units of the drawing, which is stretched to the page's width. */
const barWidth = 10;
const height = 100;
/** A single call must be visible next to thousands. */
const minHeight = 2;

/** Shows a bar for each period, stacked by outcome. The table below has the same figures for users who can't see the chart. */
export const UsageChart = ({ periods, range }: { periods: Period[]; range: Range }) => {
  const top = topOf(Math.max(...periods.map(callsIn)));
  const total = totalOf(periods);
  return (
    <figure className="chart">
      <figcaption className="chart-legend row">
        {outcomes.map((outcome) => (
          <span key={outcome}>
            <span className="swatch" style={{ background: colours[outcome] }} /> {outcomeNames[outcome]}{" "}
            <strong>{total[outcome].toLocaleString("en")}</strong>
          </span>
        ))}
      </figcaption>
      <div className="chart-scale" aria-hidden="true">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{value.toLocaleString("en")}</span>
        ))}
      </div>
      <svg
        className="chart-bars"
        viewBox={`0 0 ${periods.length * barWidth} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Calls in the last ${ranges[range].text}: ${countsText({ counts: total })}`}
      >
        {periods.map((period, index) => (
          <Bar key={period.from} period={period} left={index * barWidth} top={top} />
        ))}
      </svg>
      <div className="chart-ticks" aria-hidden="true">
        {periods.map((period) => (
          <span key={period.from}>{tickOf(period, range)}</span>
        ))}
      </div>
    </figure>
  );
};

const Bar = ({ period, left, top }: { period: Period; left: number; top: number }) => {
  let bottom = height;
  return (
    <g className="chart-bar">
      <title>{`${spanOf(period)}: ${countsText(period)}\n${utcSpanOf(period)}`}</title>
      <rect fill="transparent" x={left} width={barWidth} height={height} />
      {outcomes.map((outcome) => {
        const count = period.counts[outcome];
        const barHeight = count === 0 ? 0 : Math.max(minHeight, (count / top) * height);
        bottom -= barHeight;
        const place = { x: left + 1.5, y: bottom, width: barWidth - 3, height: barHeight };
        return <rect key={outcome} fill={colours[outcome]} {...place} />;
      })}
    </g>
  );
};

const columns: TableProps.ColumnDefinition<Period>[] = [
  {
    id: "span",
    header: "When",
    isRowHeader: true,
    cell: (period) => (
      <span className="nowrap" title={utcSpanOf(period)}>
        {spanOf(period)}
      </span>
    ),
  },
  ...outcomes.map((id) => ({
    id,
    header: outcomeNames[id],
    cell: ({ counts }: Period) => counts[id].toLocaleString("en"),
  })),
  {
    id: "reasons",
    header: "Reasons",
    cell: ({ codes }) =>
      Object.entries(codes)
        .toSorted(([, one], [, other]) => other - one)
        .map(([code, count]) => `${code} ${count.toLocaleString("en")}`)
        .join(", ") || "–",
  },
];

/** Shows the chart's figures, newest first. Periods without calls are left out. */
export const PeriodTable = ({ periods }: { periods: Period[] }) => (
  <SmallTable
    title="Calls by outcome"
    isTitled={false}
    items={periods.filter((period) => callsIn(period) > 0).toReversed()}
    trackBy="from"
    columns={columns}
  />
);
