import { Button, ExpandableSection, StatusIndicator, type TableProps } from "@cloudscape-design/components";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Trust } from "../../../api/types.ts";
import { useDialogs } from "../../../parts/dialog.tsx";
import { SmallTable } from "../../../parts/list-table.tsx";
import { PageLink, Section } from "../../../parts/page.tsx";
import { durationInWords } from "../../../parts/time.ts";
import { asNamed, tokenName } from "../../../parts/token-name.tsx";
import { Address, Moment, OneLine } from "../../../parts/values.tsx";
import type { Trusts } from "../../../records/caches.ts";
import { TrustDialog } from "./trust-dialogs.tsx";

/** The id of the section's element. */
export const trustSectionId = "trusts";

const about = "CI jobs, pods and cloud functions can get short-lived tokens without a stored secret.";

/** Lists the trusted workloads. Ended ones are collapsed. Without any workloads, it takes one line. */
export const TrustSection = ({ trusts }: { trusts: Trusts }) => {
  const { open } = useDialogs();
  const button = <Button onClick={() => open(<TrustDialog />)}>Trust a workload</Button>;
  if (trusts.size === 0) {
    return (
      <div className="row spread">
        <span className="remark">{about}</span>
        {button}
      </div>
    );
  }
  const all = [...trusts.values()].toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
  const [active, ended] = [all.filter(isActive), all.filter((trust) => !isActive(trust))];
  const table = { isTitled: false, columns: [name, life, address, changed] };
  return (
    <Section title="Trusted workloads" counter={`(${active.length})`} description={about} actions={button}>
      {active.length > 0 && <SmallTable {...table} title="Trusted workloads" items={active} />}
      {ended.length > 0 && (
        <ExpandableSection headerText={`Ended (${ended.length})`}>
          <SmallTable {...table} title="Ended" items={ended} />
        </ExpandableSection>
      )}
    </Section>
  );
};

export const isActive = ({ state }: Trust): boolean => state === "active";

const nameOf = (trust: Trust): string => tokenName(asNamed(trust));

export const BoundTo = ({ ip }: Pick<Trust, "ip">) => (ip === null ? "Any" : <Address ip={ip} />);

type Column = TableProps.ColumnDefinition<Trust>;

const name: Column = {
  id: "name",
  header: "Workload",
  isRowHeader: true,
  cell: (trust) => (
    <>
      <PageLink href={addresses.token(trust.trust_id)}>
        <OneLine text={asNamed(trust).comment} />
      </PageLink>
      <div className="remark">
        <OneLine text={trust.issuer} />
      </div>
      {isActive(trust) && trust.unreachable_since !== null && (
        <StatusIndicator type="warning">
          <span className="whole-words">Issuer unreachable</span>
        </StatusIndicator>
      )}
    </>
  ),
};

const life: Column = {
  id: "life",
  header: "Tokens live for",
  cell: ({ token_seconds }) => durationInWords(token_seconds),
};

const address: Column = { id: "ip", header: "IP address", cell: ({ ip }) => <BoundTo ip={ip} /> };

const changed: Column = {
  id: "changed",
  header: "Last change",
  cell: ({ updated_at, created_at }) => <Moment time={updated_at ?? created_at} />,
};
