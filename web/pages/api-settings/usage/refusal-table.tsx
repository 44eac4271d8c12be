import Header from "@cloudscape-design/components/header";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import Table, { type TableProps } from "@cloudscape-design/components/table";
import type { Refusal } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";

const when: TableProps.ColumnDefinition<Refusal> = {
  id: "time",
  header: "When",
  width: 130,
  cell: ({ time }) => <Moment time={time} />,
};

const reason: TableProps.ColumnDefinition<Refusal> = {
  id: "code",
  header: "Reason",
  isRowHeader: true,
  cell: ({ code, status, leak }) => (
    <>
      {status} <code className="address">{code}</code>
      {leak && (
        <div>
          <StatusIndicator type="warning">Wrong address</StatusIndicator>
        </div>
      )}
    </>
  ),
};

const address: TableProps.ColumnDefinition<Refusal> = {
  id: "source_ip",
  header: "Address seen",
  cell: ({ source_ip }) => <Address ip={source_ip} />,
};

const request: TableProps.ColumnDefinition<Refusal> = {
  id: "route",
  header: "Request",
  cell: ({ route }) => <span className="breakable">{route}</span>,
};

const all: TableProps.ColumnDefinition<Refusal> = {
  id: "all",
  header: "Refusal",
  isRowHeader: true,
  cell: (refusal) => (
    <>
      {reason.cell(refusal)}
      <div className="remark breakable">{refusal.route}</div>
      <div className="remark">
        from <Address ip={refusal.source_ip} />
      </div>
    </>
  ),
};

/** The last refused and failed calls of a token, with the reason and the address of each. */
export const RefusalTable = ({ refusals }: { refusals: Refusal[] }) => {
  const breakpoint = useBreakpoint();
  return (
    <Table
      items={refusals}
      columnDefinitions={breakpoint === "phone" ? [all, when] : [when, reason, address, request]}
      variant="embedded"
      contentDensity="compact"
      wrapLines
      ariaLabels={{ tableLabel: "Last refusals and failures" }}
      header={<Header variant="h3">Last refusals and failures</Header>}
    />
  );
};
