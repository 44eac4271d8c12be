import Header from "@cloudscape-design/components/header";
import Pagination from "@cloudscape-design/components/pagination";
import Table, { type TableProps } from "@cloudscape-design/components/table";
import { useState } from "react";
import type { LeakAddress } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";

const address: TableProps.ColumnDefinition<LeakAddress> = {
  id: "source_ip",
  header: "Address",
  isRowHeader: true,
  cell: ({ source_ip }) => <Address ip={source_ip} />,
};

const calls: TableProps.ColumnDefinition<LeakAddress> = {
  id: "calls",
  header: "Calls",
  width: 90,
  cell: ({ calls }) => calls.toLocaleString("en"),
};

const first: TableProps.ColumnDefinition<LeakAddress> = {
  id: "first_at",
  header: "First",
  cell: ({ first_at }) => <Moment time={first_at} />,
};

const last: TableProps.ColumnDefinition<LeakAddress> = {
  id: "last_at",
  header: "Last",
  cell: ({ last_at }) => <Moment time={last_at} />,
};

const all: TableProps.ColumnDefinition<LeakAddress> = {
  ...address,
  cell: ({ source_ip, calls, first_at }) => (
    <>
      <Address ip={source_ip} />
      <div className="remark">
        {calls === 1 ? "1 call" : `${calls.toLocaleString("en")} calls`}, the first <Moment time={first_at} />
      </div>
    </>
  ),
};

const pageSize = 10;

/** The wrong addresses that the correct secret came from in the last seven days. */
export const LeakTable = ({ addresses }: { addresses: LeakAddress[] }) => {
  const [page, setPage] = useState(1);
  const breakpoint = useBreakpoint();
  const pages = Math.ceil(addresses.length / pageSize);
  return (
    <Table
      items={addresses.slice((page - 1) * pageSize, page * pageSize)}
      columnDefinitions={breakpoint === "phone" ? [all, last] : [address, calls, first, last]}
      trackBy="source_ip"
      variant="embedded"
      contentDensity="compact"
      wrapLines
      ariaLabels={{ tableLabel: "Wrong addresses" }}
      header={
        <Header
          variant="h3"
          counter={`(${addresses.length.toLocaleString("en")})`}
          actions={
            pages > 1 && (
              <Pagination
                currentPageIndex={page}
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
