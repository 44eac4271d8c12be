import { Alert, Badge, Button, Header, KeyValuePairs, SpaceBetween } from "@cloudscape-design/components";
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
import { ExactMoment, Moment, VisibleText } from "../../../parts/values.tsx";
import { describeRateLimit } from "../../../records/terms.ts";
import { isUnknownRecord, useTrust } from "../../../records/token-queries.ts";
import type { DetailsProps } from "../details/token-details.tsx";
import { addressOfTokens } from "../list/list-view.ts";
import { tokensInWords } from "../list/several.ts";
import { EditTrustDialog, EndTrustDialog, endTexts, useLiveCount } from "./trust-dialogs.tsx";
import { BoundTo, isActive } from "./trust-section.tsx";

/** Shows everything about a trusted workload, and the actions on it. */
export const TrustDetails = ({ id, listSearch }: DetailsProps) => {
  const query = useTrust(id);
  const isUnknown = isUnknownRecord(query.error);
  const trust = isUnknown ? undefined : query.data;
  return (
    <SpaceBetween size="m">
      <PageTitle parts={[trust ? tokenName(asNamed(trust)) : "Trusted workload", "API settings"]} />
      <BackLink href={addresses.tokens + listSearch}>API settings</BackLink>
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
      {trust && <JwtGuide trust={trust} />}
      {trust && (
        <RecordHistory
          record={{ token_id: id }}
          related={<PageLink href={addresses.historyOf({ person: id })}>What the workload did</PageLink>}
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
        { label: "State", value: isActive(trust) ? <Badge color="green">Trusted</Badge> : <Badge>Ended</Badge> },
        {
          label: "Its tokens",
          value: count === 0 ? "None" : <PageLink href={addressOfTokens(trust_id)}>{tokensInWords(count)}</PageLink>,
        },
        { label: "They live for", value: durationInWords(token_seconds) },
        { label: "Limit of its tokens", value: describeRateLimit(rate_limit) },
        { label: "IP address", value: <BoundTo ip={ip} /> },
        { label: isActive(trust) ? "Ends" : "Ended", value: <ExactMoment time={expires_at} otherwise="Never" /> },
        { label: "Trusted", value: <TimeAndAuthor time={created_at} by={created_by} /> },
        { label: "Changed", value: updated_at ? <TimeAndAuthor time={updated_at} by={updated_by} /> : "Never" },
      ]}
    />
  );
};

const JwtGuide = ({ trust: { issuer, subject } }: { trust: Trust }) => {
  const claims = { iss: issuer, sub: subject, aud: useApp().baseUrl };
  return (
    <Section
      title="What its JWT must contain"
      description={`Also exp, at most an hour after iat. The workload sends the JWT with POST ${versionPath("v1", "/token/exchange")}; each JWT makes one token.`}
    >
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
    </Section>
  );
};
