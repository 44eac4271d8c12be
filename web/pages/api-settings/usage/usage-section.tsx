import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import Container from "@cloudscape-design/components/container";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import Header from "@cloudscape-design/components/header";
import SegmentedControl from "@cloudscape-design/components/segmented-control";
import SpaceBetween from "@cloudscape-design/components/space-between";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { useId, useState } from "react";
import type { Usage } from "../../../api/types.ts";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import { LeakTable } from "./leak-table.tsx";
import { PeriodTable } from "./period-table.tsx";
import { callsIn, periodsOf, type Range, ranges } from "./periods.ts";
import { RefusalTable } from "./refusal-table.tsx";
import { UsageChart } from "./usage-chart.tsx";
import { useUsage } from "./use-usage.ts";

const options = (["day", "week"] as const).map((id) => ({ id, text: ranges[id].text }));

/** The recent calls of a token. */
export const UsageSection = ({ tokenId }: { tokenId: string }) => {
  const { data: usage, error, isFetching, refetch } = useUsage(tokenId);
  const [range, setRange] = useState<Range>("day");
  const labelId = useId();
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="Counted from the log, within seconds of a call."
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button iconName="refresh" ariaLabel="Refresh the usage" loading={isFetching} onClick={() => refetch()} />
              <SegmentedControl
                ariaLabelledby={labelId}
                selectedId={range}
                options={options}
                onChange={({ detail }) => setRange(detail.selectedId === "week" ? "week" : "day")}
              />
            </SpaceBetween>
          }
        >
          Usage
        </Header>
      }
    >
      <span id={labelId} hidden>
        Time range
      </span>
      {error && <FailureAlert title="The usage could not be loaded" failure={error} onRetry={refetch} />}
      {!usage && !error && <StatusIndicator type="loading">Loading the usage</StatusIndicator>}
      {usage && <Figures usage={usage} range={range} />}
    </Container>
  );
};

const Figures = ({ usage, range }: { usage: Usage; range: Range }) => {
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
          <ExpandableSection headerText={range === "day" ? "Hour by hour" : "Six hours at a time"}>
            <PeriodTable periods={periods} />
          </ExpandableSection>
        </>
      ) : (
        <Box color="text-body-secondary">No calls in the last {ranges[range].text}.</Box>
      )}
      {usage.leaks.addresses.length > 0 && <LeakTable addresses={usage.leaks.addresses} />}
      {usage.refusals.length > 0 && <RefusalTable refusals={usage.refusals} />}
    </SpaceBetween>
  );
};
