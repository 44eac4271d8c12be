import { Box, Button, ExpandableSection, SegmentedControl, SpaceBetween } from "@cloudscape-design/components";
import { useId, useState } from "react";
import type { Token, Usage } from "../../../api/types.ts";
import { LoadStatus } from "../../../parts/failures.tsx";
import { Section } from "../../../parts/section.tsx";
import { ZoneNote } from "../../../parts/values.tsx";
import { leakSources } from "./leak-sources.ts";
import { boundaryNote, callsIn, periodsOf, type Range, ranges } from "./periods.ts";
import { PeriodTable, UsageChart } from "./usage-chart.tsx";
import { LeakTable, RefusalTable } from "./usage-tables.tsx";
import { useUsage } from "./use-usage.ts";

const options = (["day", "week"] as const).map((id) => ({ id, text: ranges[id].text }));

/** Shows a token's recent calls. */
export const UsageSection = ({ token }: { token: Token }) => {
  const query = useUsage(token.token_id);
  const usage = query.data;
  const [range, setRange] = useState<Range>("day");
  const labelId = useId();
  return (
    <Section
      title="Usage"
      description={
        <>
          Counted from the log, within seconds of a call. <ZoneNote />
        </>
      }
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button
            iconName="refresh"
            ariaLabel="Refresh the usage"
            loading={query.isFetching}
            onClick={() => query.refetch()}
          />
          <SegmentedControl
            ariaLabelledby={labelId}
            selectedId={range}
            options={options}
            onChange={({ detail }) => setRange(detail.selectedId === "week" ? "week" : "day")}
          />
        </SpaceBetween>
      }
    >
      <span id={labelId} hidden>
        Time range
      </span>
      <LoadStatus subject="usage" query={query} />
      {usage && <Figures {...{ token, usage, range }} />}
    </Section>
  );
};

interface FiguresProps {
  token: Token;
  usage: Usage;
  range: Range;
}

const Figures = ({ token, usage, range }: FiguresProps) => {
  const sources = leakSources(token, usage);
  const periods = periodsOf(usage, range);
  const hasCalls = periods.some((period) => callsIn(period) > 0);
  return (
    <SpaceBetween size="m">
      {usage.log_level !== "info" && (
        <Box color="text-body-secondary">
          The log level of this stage is {usage.log_level}: successful calls and most refusals are not counted.
        </Box>
      )}
      {hasCalls ? (
        <>
          <UsageChart periods={periods} range={range} />
          <Box color="text-body-secondary">{boundaryNote(usage.from)}</Box>
          <ExpandableSection headerText={ranges[range].header}>
            <PeriodTable periods={periods} />
          </ExpandableSection>
        </>
      ) : (
        <Box color="text-body-secondary">No calls in the last {ranges[range].text}.</Box>
      )}
      {sources.length > 0 && <LeakTable token={token} sources={sources} />}
      {usage.refusals.length > 0 && (
        <RefusalTable refusals={usage.refusals} dismissed={new Set(token.dismissed_addresses.map(({ ip }) => ip))} />
      )}
    </SpaceBetween>
  );
};
