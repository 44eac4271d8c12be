import { Alert, Box, Button, Container, Header, KeyValuePairs, SpaceBetween } from "@cloudscape-design/components";
import { addresses, versionPath } from "../../../../lambdas/addresses.ts";
import type { Trust } from "../../../api/types.ts";
import { TimeAndAuthor } from "../../../changes/change-sentence.tsx";
import { RecordHistory } from "../../../changes/record-history.tsx";
import { useApp } from "../../../parts/app-context.tsx";
import { DangerButton } from "../../../parts/danger-button.tsx";
import { LoadStatus } from "../../../parts/failures.tsx";
import { BackLink, PageLink } from "../../../parts/links.tsx";
import { PageTitle } from "../../../parts/page-title.tsx";
import { durationInWords } from "../../../parts/time.ts";
import { Address, ExactMoment, Moment, VisibleText } from "../../../parts/values.tsx";
import { describeRateLimit } from "../../../tokens/terms.ts";
import { asNamed, TokenName, tokenName } from "../../../tokens/token-name.tsx";
import { useTrusts } from "../../../tokens/trusts.ts";
import { useOpenDialog } from "../token/open-dialog.ts";
import { TrustState } from "./trust-section.tsx";
import { TrustTokens } from "./trust-tokens.tsx";

/** Everything about one trusted workload, and the actions on it. */
export const TrustDetails = ({ trustId, listSearch }: { trustId: string; listSearch: string }) => {
  const query = useTrusts();
  const trust = query.data?.get(trustId);
  return (
    <SpaceBetween size="l">
      <PageTitle parts={[trust ? tokenName(asNamed(trust)) : "Trusted workload", "API settings"]} />
      <BackLink href={addresses.tokens + listSearch}>API settings</BackLink>
      {!trust && (
        <Header variant="h1">{query.data ? "There is no trusted workload with this id" : "Trusted workload"}</Header>
      )}
      <LoadStatus subject="trusted workload" query={query} />
      {trust && (
        <SpaceBetween size="m">
          <DetailsHeader trust={trust} />
          {trust.state === "active" && trust.unreachable_since !== null && (
            <Alert type="warning" header="The issuer cannot be reached">
              Its keys could not be read since <Moment time={trust.unreachable_since} />, so the workload gets no new
              tokens. Those that it has keep working.
            </Alert>
          )}
          <Terms trust={trust} />
          {trust.state === "active" && <JwtGuide trust={trust} />}
          <Container>
            <TrustTokens trust={trust} />
          </Container>
          <RecordHistory
            record={{ token_id: trustId }}
            related={<PageLink href={addresses.historyOf({ person: trustId })}>The tokens that it got</PageLink>}
          />
        </SpaceBetween>
      )}
    </SpaceBetween>
  );
};

const DetailsHeader = ({ trust }: { trust: Trust }) => {
  const open = useOpenDialog();
  return (
    <Header
      variant="h1"
      actions={
        trust.state === "active" ? (
          <SpaceBetween direction="horizontal" size="xs">
            <Button onClick={() => open({ name: "edit trust", trust })}>Edit</Button>
            <DangerButton variant="normal" onClick={() => open({ name: "end trust tokens", trust })}>
              End all its tokens
            </DangerButton>
            <DangerButton variant="normal" onClick={() => open({ name: "end trust", trust })}>
              End the trust
            </DangerButton>
          </SpaceBetween>
        ) : (
          <Button onClick={() => open({ name: "trust" })}>Trust a workload</Button>
        )
      }
    >
      <TokenName token={asNamed(trust)} />
    </Header>
  );
};

const Terms = ({ trust }: { trust: Trust }) => (
  <Container>
    <KeyValuePairs
      columns={4}
      minColumnWidth={230}
      items={[
        { label: "State", value: <TrustState trust={trust} /> },
        { label: "IP address", value: trust.ip === null ? "Any" : <Address ip={trust.ip} /> },
        { label: "Its tokens live for", value: durationInWords(trust.token_seconds) },
        { label: "Limit of all its tokens", value: describeRateLimit(trust.rate_limit) },
        {
          label: trust.state === "active" ? "Ends" : "Ended",
          value: <ExactMoment time={trust.expires_at} otherwise="Never" />,
        },
        { label: "Trusted", value: <TimeAndAuthor time={trust.created_at} by={trust.created_by} /> },
        {
          label: "Changed",
          value: trust.updated_at === null ? "Never" : <TimeAndAuthor time={trust.updated_at} by={trust.updated_by} />,
        },
        { label: "Trust id", value: <code className="address">{trust.trust_id}</code> },
      ]}
    />
  </Container>
);

/** What a JWT must contain, and what to do with it. */
const JwtGuide = ({ trust: { issuer, subject } }: { trust: Trust }) => {
  const { baseUrl } = useApp();
  const claims = { iss: issuer, sub: subject, aud: baseUrl };
  return (
    <Container header={<Header variant="h2">What its JWT must contain</Header>}>
      <SpaceBetween size="m">
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
        <Box color="text-body-secondary">
          And exp, at most an hour after iat. The workload sends the JWT with POST{" "}
          {versionPath("v1", "/token/exchange")} and gets its token; each JWT makes one.
        </Box>
      </SpaceBetween>
    </Container>
  );
};
