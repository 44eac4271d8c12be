import { Box, Button, ExpandableSection, SpaceBetween, StatusIndicator } from "@cloudscape-design/components";
import { useState } from "react";
import type { ErrorCode } from "../../../../../lambdas/shared/errors/catalogue.ts";
import type { Refusal, Token, Usage } from "../../../api/types.ts";
import { ChangeAuthor } from "../../../changes/change-sentence.tsx";
import { useDialogs } from "../../../parts/dialog.tsx";
import { LoadStatus } from "../../../parts/failures.tsx";
import { SmallTable } from "../../../parts/list-table.tsx";
import { Section } from "../../../parts/page.tsx";
import { useNow } from "../../../parts/time.ts";
import { Address, authorOf, Moment, OneLine, ZoneNote } from "../../../parts/values.tsx";
import { useUsage } from "../../../records/token-queries.ts";
import { LeakDialog } from "../dialogs/confirm-dialogs.tsx";
import { isLive, statusOf } from "../token/token-status.ts";
import { type LeakSource, leakSources } from "./leaks.ts";
import { boundaryNote, callsIn, periodsOf, type Range, ranges } from "./periods.ts";
import { PeriodTable, UsageChart } from "./usage-chart.tsx";

/** Shows a token's recent calls. */
export const UsageSection = ({ token }: { token: Token }) => {
  const query = useUsage(token.token_id);
  const [range, setRange] = useState<Range>("day");
  const other = range === "day" ? "week" : "day";
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
          <Button onClick={() => setRange(other)}>Show {ranges[other].text}</Button>
        </SpaceBetween>
      }
    >
      <LoadStatus subject="usage" query={query} />
      {query.data && <Figures token={token} usage={query.data} range={range} />}
    </Section>
  );
};

const Figures = ({ token, usage, range }: { token: Token; usage: Usage; range: Range }) => {
  const sources = leakSources(token, usage);
  const periods = periodsOf(usage, range);
  return (
    <SpaceBetween size="m">
      {usage.log_level !== "info" && (
        <Box color="text-body-secondary">
          The log level of this stage is {usage.log_level}: successful calls and most refusals are not counted.
        </Box>
      )}
      {periods.some((period) => callsIn(period) > 0) ? (
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
        <RefusalTable
          title="Last rejections and failures"
          refusals={usage.refusals}
          dismissed={token.dismissed_addresses}
        />
      )}
    </SpaceBetween>
  );
};

/** Lists the dismissed addresses, and the wrong addresses that used the correct secret in the last seven days. */
const LeakTable = ({ token, sources }: { token: Token; sources: LeakSource[] }) => (
  <SmallTable
    title="Wrong addresses"
    items={sources}
    trackBy="ip"
    columns={[
      { id: "ip", header: "Address", isRowHeader: true, minWidth: 170, cell: ({ ip }) => <Address ip={ip} /> },
      { id: "calls", header: "Calls", width: 75, cell: ({ calls }) => (calls?.calls ?? 0).toLocaleString("en") },
      { id: "first_at", header: "First", cell: ({ calls }) => <Moment time={calls?.first_at ?? null} /> },
      { id: "last_at", header: "Last", cell: ({ calls }) => <Moment time={calls?.last_at ?? null} /> },
      {
        id: "warning",
        header: "Warning",
        minWidth: 165,
        cell: (source) => <Dismissal token={token} source={source} />,
      },
    ]}
  />
);

/** Shows whether and by whom a warning was dismissed. A button changes this unless the token has ended. */
const Dismissal = ({ token, source: { ip, dismissal } }: { token: Token; source: LeakSource }) => {
  const { open } = useDialogs();
  const [decision, text] = dismissal ? (["restore", "Warn again"] as const) : (["dismiss", "Stop warning"] as const);
  return (
    <>
      <div>
        {dismissal ? (
          <OneLine text={dismissal.dismissed_by}>
            No warnings since <Moment time={dismissal.dismissed_at} /> by{" "}
            <ChangeAuthor author={authorOf(dismissal.dismissed_by)} isWithinSentence />
          </OneLine>
        ) : (
          "Warnings are on"
        )}
      </div>
      {isLive(statusOf(token, useNow())) && (
        <Button
          variant="inline-link"
          ariaLabel={`${text} about ${ip}`}
          onClick={() => open(<LeakDialog {...{ decision, token, ip }} />)}
        >
          {text}
        </Button>
      )}
    </>
  );
};

interface RefusalTableProps {
  title: string;
  isTitled?: boolean;
  refusals: Refusal[];
  /** The addresses for which an admin has stopped the warnings. */
  dismissed?: Token["dismissed_addresses"];
}

/** Lists the last rejected and failed calls with their reasons and addresses. */
export const RefusalTable = ({ refusals, dismissed = [], ...titles }: RefusalTableProps) => (
  <SmallTable
    {...titles}
    items={refusals}
    columns={[
      { id: "time", header: "When", width: 125, cell: ({ time }) => <Moment time={time} /> },
      {
        id: "code",
        header: "Reason",
        isRowHeader: true,
        minWidth: 185,
        cell: (refusal) => (
          <>
            {refusal.status} <code className="address">{refusal.code}</code>
            <div className="remark">{reasonOf(dismissed, refusal)}</div>
          </>
        ),
      },
      { id: "source_ip", header: "Address seen", minWidth: 190, cell: ({ source_ip }) => <Address ip={source_ip} /> },
      { id: "route", header: "Request", cell: ({ route }) => <OneLine text={route} /> },
    ]}
  />
);

const reasonOf = (dismissed: Token["dismissed_addresses"], { code, leak, source_ip, claim }: Refusal) => {
  if (claim !== undefined) return `The claim ${claim} was wrong.`;
  if (!leak) return reasons.get(code);
  if (dismissed.some(({ ip }) => ip === source_ip)) return "Wrong address, no warning";
  return <StatusIndicator type="warning">Wrong address</StatusIndicator>;
};

/**
 * Explains why a call with the correct secret was rejected, short enough for one line on a phone. Other errors' names are clear
 * enough.
 */
const reasons = new Map<string, string>(
  Object.entries({
    token_expired: "The token had ended.",
    token_revoked: "The token had been revoked.",
    ip_not_allowed: "The call came from another address.",
    invitation_used: "The invitation had already been used.",
    invitation_expired: "The invitation was not used in time.",
    invitation_revoked: "The invitation or its token was revoked.",
    request_rejected: "An admin had rejected this address.",
    too_many_requests: "It had made ten requests within 24 hours.",
    move_not_needed: "The token already has this address.",
    token_already_rotated: "The token had already been replaced.",
    rate_limited: "The limit for that minute was reached.",
  } satisfies Partial<Record<ErrorCode, string>>),
);
