import { Alert, Box, Button, Header, KeyValuePairs, SpaceBetween } from "@cloudscape-design/components";
import { useQuery } from "@tanstack/react-query";
import { addresses, versionPath } from "../../../../../lambdas/shared/addresses.ts";
import type { Trust } from "../../../api/types.ts";
import { TimeAndAuthor } from "../../../changes/change-sentence.tsx";
import { RecordHistory } from "../../../changes/record-history.tsx";
import { useApp } from "../../../parts/app-context.tsx";
import { DangerButton } from "../../../parts/danger-button.tsx";
import { useDialogs } from "../../../parts/dialog.tsx";
import { LoadStatus } from "../../../parts/failures.tsx";
import { BackLink, Facts, PageLink, PageTitle, Section } from "../../../parts/page.tsx";
import { durationInWords } from "../../../parts/time.ts";
import { asNamed, TokenName, tokenName } from "../../../parts/token-name.tsx";
import { Address, ExactMoment, Moment, VisibleText } from "../../../parts/values.tsx";
import { describeRateLimit } from "../../../records/terms.ts";
import { isUnknownRecord, useTrust, useUsage } from "../../../records/token-queries.ts";
import type { DetailsProps } from "../details/token-details.tsx";
import { CopyBox } from "../dialogs/shown-once-dialog.tsx";
import { clientFact } from "../list/client-filter.tsx";
import { addressOfTokens, workloadsTab } from "../list/list-view.ts";
import { tokensInWords } from "../list/several.ts";
import { RefusalTable } from "../usage/usage-section.tsx";
import { EditTrustDialog, EndTrustDialog, endTexts, useLiveCount } from "./trust-dialogs.tsx";
import { isActive, LastExchange } from "./trust-section.tsx";

/** Shows everything about a trusted workload, and the actions on it. */
export const TrustDetails = ({ id, listSearch }: DetailsProps) => {
  const query = useTrust(id);
  const isUnknown = isUnknownRecord(query.error);
  const trust = isUnknown ? undefined : query.data;
  return (
    <SpaceBetween size="m">
      <PageTitle parts={[trust ? tokenName(asNamed(trust)) : "Trusted workload", "API settings"]} />
      <BackLink href={addresses.tokens + (listSearch || workloadsTab)}>All workloads</BackLink>
      {!trust && (
        <Header variant="h1">{isUnknown ? "There is no trusted workload with this id" : "Trusted workload"}</Header>
      )}
      {!isUnknown && <LoadStatus subject="trusted workload" query={query} />}
      {trust && <DetailsHeader trust={trust} />}
      {trust && isActive(trust) && trust.unreachable_since !== null && (
        <Alert type="warning" header="The issuer cannot be reached">
          It became unreachable <Moment time={trust.unreachable_since} />. Until its keys can be read again, the
          workload gets no new tokens; those that it has keep working.
        </Alert>
      )}
      {trust && <Terms trust={trust} />}
      {trust && isActive(trust) && <Setup trust={trust} />}
      {trust && <RefusedExchanges trust={trust} />}
      {trust && (
        <RecordHistory
          record={{ token_id: id }}
          related={<PageLink href={addresses.historyOf({ person: id })}>Changes by this workload</PageLink>}
        />
      )}
    </SpaceBetween>
  );
};

const DetailsHeader = ({ trust }: { trust: Trust }) => {
  const { open } = useDialogs();
  return (
    <Header
      variant="h1"
      actions={
        isActive(trust) && (
          <SpaceBetween direction="horizontal" size="xs">
            <Button onClick={() => open(<EditTrustDialog trust={trust} />)}>Edit</Button>
            {(["tokens", "trust"] as const).map((what) => (
              <DangerButton
                key={what}
                variant="normal"
                onClick={() => open(<EndTrustDialog trust={trust} what={what} />)}
              >
                {endTexts[what].submitText}
              </DangerButton>
            ))}
          </SpaceBetween>
        )
      }
    >
      <TokenName token={asNamed(trust)} />
    </Header>
  );
};

const Terms = ({ trust }: { trust: Trust }) => {
  const count = useLiveCount(trust);
  const { trust_id, token_seconds, ip, rate_limit, expires_at, created_at, created_by, updated_at, updated_by } = trust;
  return (
    <Facts
      items={[
        { label: "State", value: isActive(trust) ? "Trusted" : "Ended" },
        { label: "Last exchange", value: <LastExchange trust={trust} /> },
        {
          label: "Tokens",
          value: count === 0 ? "None" : <PageLink href={addressOfTokens(trust_id)}>{tokensInWords(count)}</PageLink>,
        },
        ...clientFact(trust),
        { label: "Token lifetime", value: durationInWords(token_seconds) },
        { label: "Rate limit", value: describeRateLimit(rate_limit) },
        { label: "IP address", value: ip === null ? "Any" : <Address ip={ip} /> },
        { label: isActive(trust) ? "Ends" : "Ended", value: <ExactMoment time={expires_at} otherwise="Never" /> },
        updated_at
          ? { label: "Changed", value: <TimeAndAuthor time={updated_at} by={updated_by} /> }
          : { label: "Trusted", value: <TimeAndAuthor time={created_at} by={created_by} /> },
      ]}
    />
  );
};

/** Shows how to set up the workload, with the values of this trust and this service. */
const Setup = ({ trust }: { trust: Trust }) => {
  const { baseUrl } = useApp();
  const snippets = useQuery({
    queryKey: ["snippets"],
    // No other page needs them. Without them, the page still lists the claims.
    queryFn: () => import("./snippets.ts"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const snippet = snippets.data?.snippetFor(trust, baseUrl);
  const claims = { iss: trust.issuer, sub: trust.subject, aud: baseUrl };
  return (
    <Section title="Set up the workload" description={snippet?.advice}>
      <SpaceBetween size="l">
        {snippet && <CopyBox label={snippet.label} text={snippet.code} keepsLines />}
        <div>
          The JWT must have exactly these claims, and exp at most an hour after iat. The workload sends it with{" "}
          <code className="address">POST {versionPath("v1", "/token/exchange")}</code>. Each JWT makes one token.
        </div>
        <KeyValuePairs
          columns={3}
          minColumnWidth={230}
          items={Object.entries(claims).map(([label, text]) => ({
            label,
            value: (
              <code className="address breakable">
                <VisibleText text={text} />
              </code>
            ),
          }))}
        />
      </SpaceBetween>
    </Section>
  );
};

/** Lists why exchanges were rejected. The service can only assign JWTs of this exact subject to the trust. */
const RefusedExchanges = ({ trust }: { trust: Trust }) => {
  const query = useUsage(trust.trust_id);
  const refusals = query.data?.refusals ?? [];
  return (
    <Section
      title="Rejected exchanges"
      description="From the last seven days. A JWT with another subject is not listed: the workload's own log shows the reason."
      actions={
        <Button
          iconName="refresh"
          ariaLabel="Refresh the rejected exchanges"
          loading={query.isFetching}
          onClick={() => query.refetch()}
        />
      }
    >
      <LoadStatus subject="rejected exchanges" query={query} />
      {query.data && refusals.length === 0 && <Box color="text-body-secondary">None.</Box>}
      {refusals.length > 0 && <RefusalTable title="Rejected exchanges" isTitled={false} refusals={refusals} />}
    </Section>
  );
};
