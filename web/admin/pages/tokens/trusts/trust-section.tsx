import { Box, Container, ExpandableSection, StatusIndicator, type TableProps } from "@cloudscape-design/components";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Trust } from "../../../api/types.ts";
import { NothingHere, SmallTable } from "../../../parts/list-table.tsx";
import { PageLink } from "../../../parts/page.tsx";
import { dayMs, useNow } from "../../../parts/time.ts";
import { asNamed, tokenName } from "../../../parts/token-name.tsx";
import { Moment, OneLine } from "../../../parts/values.tsx";
import type { Trusts } from "../../../records/caches.ts";
import { useLoadedTokens } from "../../../records/token-list.ts";
import { platforms } from "./platforms.ts";

/** Lists the trusted workloads. Ended ones are collapsed. */
export const TrustSection = ({ trusts }: { trusts: Trusts }) => {
  const all = [...trusts.values()].toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
  const [active, ended] = [all.filter(isActive), all.filter((trust) => !isActive(trust))];
  const table = { isTitled: false, columns: [name, platform, lastExchange, ends] };
  return (
    <Container>
      {active.length === 0 && (
        <NothingHere title="No trusted workloads">
          <Box color="text-body-secondary">
            CI jobs, pods and cloud functions can get short-lived tokens without a stored secret.
          </Box>
        </NothingHere>
      )}
      {active.length > 0 && <SmallTable {...table} title="Trusted workloads" items={active} />}
      {ended.length > 0 && (
        <ExpandableSection headerText={`Ended (${ended.length})`}>
          <SmallTable {...table} title="Ended" items={ended} />
        </ExpandableSection>
      )}
    </Container>
  );
};

export const isActive = ({ state }: Trust): boolean => state === "active";

const nameOf = (trust: Trust): string => tokenName(asNamed(trust));

const platformOf = ({ issuer }: Trust): string =>
  platforms.find(({ initial }) => initial?.issuer === issuer)?.label ?? new URL(issuer).host;

/** The records of ended tokens are kept for 90 days. */
const keptMs = 90 * dayMs;

/** Shows when the workload last exchanged a JWT for a token, as far as the loaded tokens show it. */
export const LastExchange = ({ trust: { trust_id, created_at } }: { trust: Trust }) => {
  const { data: list } = useLoadedTokens();
  const now = useNow();
  if (!list) return "–";
  const times = [...list.byId.values()].flatMap((token) => (token.trust_id === trust_id ? token.issued_at : []));
  const last = times
    .filter((time) => time >= created_at)
    .toSorted()
    .at(-1);
  if (last !== undefined) return <Moment time={last} />;
  if (list.missing !== "none") return "–";
  return now - Date.parse(created_at) < keptMs ? "Never used" : "Not used for 90 days";
};

type Column = TableProps.ColumnDefinition<Trust>;

const name: Column = {
  id: "name",
  header: "Workload",
  isRowHeader: true,
  // Takes the width that the other columns leave.
  width: "100%",
  cell: (trust) => (
    <PageLink href={addresses.token(trust.trust_id)}>
      <OneLine text={asNamed(trust).comment} />
    </PageLink>
  ),
};

const platform: Column = {
  id: "platform",
  header: "Platform",
  minWidth: 300,
  cell: (trust) =>
    isActive(trust) && trust.unreachable_since !== null ? (
      <StatusIndicator type="warning">
        <span className="whole-words">Issuer unreachable</span>
      </StatusIndicator>
    ) : (
      <OneLine text={platformOf(trust)} />
    ),
};

const lastExchange: Column = {
  id: "exchange",
  header: "Last exchange",
  minWidth: 185,
  cell: (trust) => <LastExchange trust={trust} />,
};

const ends: Column = {
  id: "ends",
  header: "Ends",
  minWidth: 120,
  cell: ({ expires_at }) => <Moment time={expires_at} otherwise="Never" />,
};
