import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import Pagination from "@cloudscape-design/components/pagination";
import Table, { type TableProps } from "@cloudscape-design/components/table";
import { useState } from "react";
import type { Token } from "../../../api/types.ts";
import { useNow } from "../../../parts/time.ts";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";
import { Actor, Address, Moment } from "../../../parts/values.tsx";
import type { LeakDecision, OpenDialog } from "../token/open-dialog.ts";
import { isLive, statusOf } from "../token/token-status.ts";
import type { LeakSource } from "./leak-sources.ts";

const address: TableProps.ColumnDefinition<LeakSource> = {
  id: "ip",
  header: "Address",
  isRowHeader: true,
  cell: ({ ip }) => <Address ip={ip} />,
};

const calls: TableProps.ColumnDefinition<LeakSource> = {
  id: "calls",
  header: "Calls",
  width: 90,
  cell: ({ calls }) => (calls?.calls ?? 0).toLocaleString("en"),
};

const first: TableProps.ColumnDefinition<LeakSource> = {
  id: "first_at",
  header: "First",
  cell: ({ calls }) => <Moment time={calls?.first_at ?? null} />,
};

const last: TableProps.ColumnDefinition<LeakSource> = {
  id: "last_at",
  header: "Last",
  cell: ({ calls }) => <Moment time={calls?.last_at ?? null} />,
};

const all = (actions: TableProps.ColumnDefinition<LeakSource>): TableProps.ColumnDefinition<LeakSource> => ({
  ...address,
  cell: (source) => (
    <>
      <Address ip={source.ip} />
      <div className="remark">{source.calls ? <Calls {...source.calls} /> : "No calls in the last seven days"}</div>
      {actions.cell(source)}
    </>
  ),
});

const Calls = ({ calls, first_at, last_at }: NonNullable<LeakSource["calls"]>) =>
  calls === 1 ? (
    <>
      1 call, <Moment time={last_at} />
    </>
  ) : (
    <>
      {calls.toLocaleString("en")} calls, the first <Moment time={first_at} />, the last <Moment time={last_at} />
    </>
  );

const pageSize = 10;

interface LeakTableProps {
  token: Token;
  sources: LeakSource[];
  onOpen: (dialog: OpenDialog) => void;
}

/** The wrong addresses that the correct secret came from in the last seven days, and those that are dismissed. */
export const LeakTable = ({ token, sources, onOpen }: LeakTableProps) => {
  const [page, setPage] = useState(1);
  const breakpoint = useBreakpoint();
  const hasEnded = !isLive(statusOf(token, useNow()));
  const actions: TableProps.ColumnDefinition<LeakSource> = {
    id: "warning",
    header: "Warning",
    cell: (source) => (
      <DismissalActions source={source} isLive={!hasEnded} onDecide={(name, ip) => onOpen({ name, token, ip })} />
    ),
  };
  const pages = Math.max(1, Math.ceil(sources.length / pageSize));
  const shown = Math.min(page, pages);
  return (
    <Table
      items={sources.slice((shown - 1) * pageSize, shown * pageSize)}
      columnDefinitions={breakpoint === "phone" ? [all(actions)] : [address, calls, first, last, actions]}
      trackBy="ip"
      variant="embedded"
      contentDensity="compact"
      wrapLines
      ariaLabels={{ tableLabel: "Wrong addresses" }}
      header={
        <Header
          variant="h3"
          counter={`(${sources.length.toLocaleString("en")})`}
          actions={
            pages > 1 && (
              <Pagination
                currentPageIndex={shown}
                pagesCount={pages}
                onChange={({ detail }) => setPage(detail.currentPageIndex)}
              />
            )
          }
        >
          Wrong addresses
        </Header>
      }
    />
  );
};

interface DismissalActionsProps {
  source: LeakSource;
  /** The token has not ended, so that something can be changed. */
  isLive: boolean;
  onDecide: (decision: LeakDecision, ip: string) => void;
}

/** Whether the warning about an address was dismissed and by whom, and the button that changes it. */
const DismissalActions = ({ source: { ip, dismissal }, isLive, onDecide }: DismissalActionsProps) => {
  const [decision, text, label] = dismissal
    ? (["restore", "Warn again", "Warn again about"] as const)
    : (["dismiss", "Dismiss", "Dismiss the warning about"] as const);
  return (
    <>
      {dismissal && (
        <div>
          Dismissed <Moment time={dismissal.dismissed_at} /> by <Actor name={dismissal.dismissed_by} />
        </div>
      )}
      {isLive && (
        <Button variant="inline-link" ariaLabel={`${label} ${ip}`} onClick={() => onDecide(decision, ip)}>
          {text}
        </Button>
      )}
    </>
  );
};
