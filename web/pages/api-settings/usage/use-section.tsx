import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import Container from "@cloudscape-design/components/container";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import Header from "@cloudscape-design/components/header";
import SegmentedControl from "@cloudscape-design/components/segmented-control";
import SpaceBetween from "@cloudscape-design/components/space-between";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { useId, useState } from "react";
import type { Usage } from "../../../api/usage.ts";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import type { Loaded } from "../../../parts/use-loaded.ts";
import { PeriodTable } from "./period-table.tsx";
import { callsIn, periodsOf, type Range, ranges } from "./periods.ts";
import { RefusalTable } from "./refusal-table.tsx";
import { UsageChart } from "./usage-chart.tsx";

interface UseSectionProps {
  loaded: Loaded<Usage>;
  onReload: () => void;
}

const options = (["day", "week"] as const).map((id) => ({ id, text: ranges[id].text }));

/** What became of a token's calls lately. */
export const UseSection = ({ loaded: { value: usage, failure, isLoading }, onReload }: UseSectionProps) => {
  const [range, setRange] = useState<Range>("day");
  const labelId = useId();
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="Counted from the log, seconds after a call."
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button iconName="refresh" ariaLabel="Refresh the use" loading={isLoading} onClick={onReload} />
              <SegmentedControl
                ariaLabelledby={labelId}
                selectedId={range}
                options={options}
                onChange={({ detail }) => setRange(detail.selectedId === "week" ? "week" : "day")}
              />
            </SpaceBetween>
          }
        >
          Use
        </Header>
      }
    >
      <span id={labelId} hidden>
        How far to look back
      </span>
      {failure && <FailureAlert title="The use could not be loaded" failure={failure} onRetry={onReload} />}
      {!usage && !failure && <StatusIndicator type="loading">Loading the use</StatusIndicator>}
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
          This stage logs from level {usage.log_level} on: calls that went well, and most refusals, are not counted.
        </Box>
      )}
      {hasCalls ? (
        <>
          <UsageChart periods={periods} range={range} />
          <ExpandableSection headerText={range === "day" ? "Hour by hour" : "By quarters of a day"}>
            <PeriodTable periods={periods} />
          </ExpandableSection>
        </>
      ) : (
        <Box color="text-body-secondary">No calls in the last {ranges[range].text}.</Box>
      )}
      {usage.refusals.length > 0 && <RefusalTable refusals={usage.refusals} />}
    </SpaceBetween>
  );
};
