import {
  Badge,
  Button,
  Container,
  ExpandableSection,
  Header,
  StatusIndicator,
  type TableProps,
} from "@cloudscape-design/components";
import { addresses } from "../../../../lambdas/addresses.ts";
import type { Trust } from "../../../api/types.ts";
import { PageLink } from "../../../parts/links.tsx";
import { SmallTable } from "../../../parts/list-table.tsx";
import { durationInWords } from "../../../parts/time.ts";
import { Address, Moment, OneLine } from "../../../parts/values.tsx";
import { asNamed, TokenName, tokenName } from "../../../tokens/token-name.tsx";
import type { Trusts } from "../../../tokens/trusts.ts";
import { useOpenDialog } from "../token/open-dialog.ts";

export const trustSectionId = "trusts";

const about = "CI jobs, pods and cloud functions can get short-lived tokens without a stored secret.";

/** The trusted workloads, those that have ended folded away. Who has none sees one line. */
export const TrustSection = ({ trusts }: { trusts: Trusts }) => {
  const open = useOpenDialog();
  const button = <Button onClick={() => open({ name: "trust" })}>Trust a workload</Button>;
  if (trusts.size === 0) {
    return (
      <div className="row spread">
        <span className="remark">{about}</span>
        {button}
      </div>
    );
  }
  const all = [...trusts.values()].toSorted((one, other) =>
    tokenName(asNamed(one)).localeCompare(tokenName(asNamed(other))),
  );
  const active = all.filter(({ state }) => state === "active");
  const ended = all.filter(({ state }) => state === "ended");
  const table = {
    trackBy: "trust_id",
    isTitled: false,
    columns: [name, issuer, state, life, address, changed],
    phoneColumns: [card],
  };
  return (
    <Container
      header={
        <Header variant="h2" counter={`(${active.length})`} description={about} actions={button}>
          Trusted workloads
        </Header>
      }
    >
      {active.length > 0 && <SmallTable {...table} title="Trusted workloads" items={active} />}
      {ended.length > 0 && (
        <ExpandableSection headerText={`Ended (${ended.length})`}>
          <SmallTable {...table} title="Workloads that are not trusted any more" items={ended} />
        </ExpandableSection>
      )}
    </Container>
  );
};

/** Whether a workload is trusted, and whether its issuer can be reached. */
export const TrustState = ({ trust: { state, unreachable_since } }: { trust: Trust }) => (
  <span className="status-badge row">
    <Badge color={state === "active" ? "green" : "grey"}>{state === "active" ? "Trusted" : "Ended"}</Badge>
    {state === "active" && unreachable_since !== null && (
      <StatusIndicator type="warning">Issuer unreachable</StatusIndicator>
    )}
  </span>
);

type Column = TableProps.ColumnDefinition<Trust>;

const Name = ({ trust }: { trust: Trust }) => (
  <PageLink href={addresses.token(trust.trust_id)}>
    <OneLine text={tokenName(asNamed(trust))}>
      <TokenName token={asNamed(trust)} />
    </OneLine>
  </PageLink>
);

const name: Column = { id: "name", header: "Workload", isRowHeader: true, cell: (trust) => <Name trust={trust} /> };
const card: Column = {
  ...name,
  cell: (trust) => (
    <>
      <Name trust={trust} />
      <TrustState trust={trust} />
    </>
  ),
};
const issuer: Column = {
  id: "issuer",
  header: "Issuer",
  cell: ({ issuer }) => <OneLine text={issuer.replace("https://", "")} />,
};
const state: Column = { id: "state", header: "State", cell: (trust) => <TrustState trust={trust} /> };
const life: Column = {
  id: "life",
  header: "Tokens live for",
  cell: ({ token_seconds }) => durationInWords(token_seconds),
};
const address: Column = {
  id: "ip",
  header: "IP address",
  cell: ({ ip }) => (ip === null ? "Any" : <Address ip={ip} />),
};
const changed: Column = {
  id: "changed",
  header: "Last change",
  cell: ({ updated_at, created_at }) => <Moment time={updated_at ?? created_at} />,
};
