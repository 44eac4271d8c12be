import Button from "@cloudscape-design/components/button";
import type { TableProps } from "@cloudscape-design/components/table";
import type { Token } from "../../../api/types.ts";
import { SmallTable } from "../../../parts/list-table.tsx";
import { useNow } from "../../../parts/time.ts";
import { Actor, Address, Moment } from "../../../parts/values.tsx";
import { useOpenDialog } from "../token/open-dialog.ts";
import { isLive, statusOf } from "../token/token-status.ts";
import type { LeakSource } from "./leak-sources.ts";

const columns: TableProps.ColumnDefinition<LeakSource>[] = [
  { id: "ip", header: "Address", isRowHeader: true, cell: ({ ip }) => <Address ip={ip} /> },
  { id: "calls", header: "Calls", width: 90, cell: ({ calls }) => (calls?.calls ?? 0).toLocaleString("en") },
  { id: "first_at", header: "First", cell: ({ calls }) => <Moment time={calls?.first_at ?? null} /> },
  { id: "last_at", header: "Last", cell: ({ calls }) => <Moment time={calls?.last_at ?? null} /> },
];

/** The wrong addresses that the correct secret came from in the last seven days, and those that are dismissed. */
export const LeakTable = ({ token, sources }: { token: Token; sources: LeakSource[] }) => {
  const warning: TableProps.ColumnDefinition<LeakSource> = {
    id: "warning",
    header: "Warning",
    cell: (source) => <Dismissal token={token} source={source} />,
  };
  const card: TableProps.ColumnDefinition<LeakSource> = {
    id: "ip",
    header: "Address",
    isRowHeader: true,
    cell: (source) => (
      <>
        <Address ip={source.ip} />
        <div className="remark">{source.calls ? <Calls {...source.calls} /> : "No calls in the last seven days"}</div>
        <Dismissal token={token} source={source} />
      </>
    ),
  };
  return (
    <SmallTable
      title="Wrong addresses"
      items={sources}
      trackBy="ip"
      columns={[...columns, warning]}
      phoneColumns={[card]}
      pageSize={10}
    />
  );
};

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

interface DismissalProps {
  token: Token;
  source: LeakSource;
}

/** Whether the warning about an address was dismissed and by whom, and the button that changes it unless the token has ended. */
const Dismissal = ({ token, source: { ip, dismissal } }: DismissalProps) => {
  const open = useOpenDialog();
  const [name, text, label] = dismissal
    ? (["restore", "Warn again", "Warn again about"] as const)
    : (["dismiss", "Dismiss", "Dismiss the warning about"] as const);
  return (
    <>
      {dismissal && (
        <div>
          Dismissed <Moment time={dismissal.dismissed_at} /> by <Actor name={dismissal.dismissed_by} />
        </div>
      )}
      {isLive(statusOf(token, useNow())) && (
        <Button variant="inline-link" ariaLabel={`${label} ${ip}`} onClick={() => open({ name, token, ip })}>
          {text}
        </Button>
      )}
    </>
  );
};
