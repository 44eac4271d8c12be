import type { TableProps } from "@cloudscape-design/components";
import {
  callsIn,
  countsText,
  labelOf,
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
import { SmallTable } from "../../../parts/list-table.tsx";

interface UsageChartProps {
  periods: Period[];
  range: Range;
}

const outcomeNames: Record<Outcome, string> = { answered: "Answered", refused: "Refused", failed: "Failed" };

/** In units of the drawing, which is stretched to the page's width. */
const barWidth = 10;
const height = 100;
/** A single call must be visible next to thousands. */
const minHeight = 2;

/** Shows a bar for each period, stacked by outcome. The table below has the same figures for users who can't see the chart. */
export const UsageChart = ({ periods, range }: UsageChartProps) => {
  const top = topOf(Math.max(...periods.map(callsIn)));
  const total = totalOf(periods);
  return (
    <figure className="chart">
      <figcaption className="chart-legend row">
        {outcomes.map((outcome) => (
          <span key={outcome}>
            <span className={`swatch outcome-${outcome}`} /> {outcomeNames[outcome]}{" "}
            <strong>{total[outcome].toLocaleString("en")}</strong>
          </span>
        ))}
      </figcaption>
      <div className="chart-scale" aria-hidden="true">
        <span>{top.toLocaleString("en")}</span>
        <span>{(top / 2).toLocaleString("en")}</span>
        <span>0</span>
      </div>
      <svg
        className="chart-bars"
        viewBox={`0 0 ${periods.length * barWidth} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Calls in the last ${ranges[range].text}: ${countsText({ counts: total })}`}
      >
        {[0, height / 2, height].map((y) => (
          <line key={y} className="chart-line" x1="0" x2={periods.length * barWidth} y1={y} y2={y} />
        ))}
        {periods.map((period, index) => (
          <Bar key={period.from} period={period} left={index * barWidth} top={top} />
        ))}
      </svg>
      <Ticks periods={periods} range={range} />
    </figure>
  );
};

const Bar = ({ period, left, top }: { period: Period; left: number; top: number }) => {
  let bottom = height;
  const present = outcomes.filter((outcome) => period.counts[outcome] > 0);
  return (
    <g className="chart-bar">
      <title>{`${spanOf(period)}: ${countsText(period)}\n${utcSpanOf(period)}`}</title>
      <rect className="chart-hover" x={left} y="0" width={barWidth} height={height} />
      {present.map((outcome) => {
        const barHeight = Math.max(minHeight, (period.counts[outcome] / top) * height);
        bottom -= barHeight;
        return (
          <rect
            key={outcome}
            className={`outcome-${outcome}`}
            x={left + 1.5}
            y={bottom}
            width={barWidth - 3}
            height={barHeight}
          />
        );
      })}
    </g>
  );
};

/** Labels are wider than bars, so the last bar's label needs the room of the bars before it. */
const lastLabelBars = 7;

const Ticks = ({ periods, range }: UsageChartProps) => (
  <div className="chart-ticks" aria-hidden="true">
    {periods.map((period, index) => {
      const isLast = index === periods.length - 1;
      const isCovered = !isLast && index >= periods.length - lastLabelBars;
      return <span key={period.from}>{isLast ? labelOf(period, range) : !isCovered && tickOf(period, range)}</span>;
    })}
  </div>
);

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

const reasons: TableProps.ColumnDefinition<Period> = {
  id: "reasons",
  header: "Reasons",
  cell: ({ codes }) =>
    Object.entries(codes)
      .toSorted(([, one], [, other]) => other - one)
      .map(([code, count]) => `${code} ${count.toLocaleString("en")}`)
      .join(", ") || "–",
};

/** Shows the chart's figures, newest first. Periods without calls are left out. */
export const PeriodTable = ({ periods }: { periods: Period[] }) => (
  <SmallTable
    title="Calls by outcome"
    isTitled={false}
    items={periods.filter((period) => callsIn(period) > 0).toReversed()}
    trackBy="from"
    columns={[when, ...counts, reasons]}
  />
);
