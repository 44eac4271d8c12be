import {
  Alert,
  Box,
  Button,
  Header,
  type KeyValuePairsProps,
  SpaceBetween,
  StatusIndicator,
} from "@cloudscape-design/components";
import { requestMinutes } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Change, Token } from "../../../api/types.ts";
import { TokenLink } from "../../../changes/change-sentence.tsx";
import { RecordHistory } from "../../../changes/record-history.tsx";
import { DangerButton } from "../../../parts/danger-button.tsx";
import { useDialogs } from "../../../parts/dialog.tsx";
import { LoadStatus } from "../../../parts/failures.tsx";
import { BackLink, Facts, PageLink, PageTitle } from "../../../parts/page.tsx";
import { useNow } from "../../../parts/time.ts";
import { BoundAddress, TokenName, tokenName } from "../../../parts/token-name.tsx";
import { Address, authorOf, ExactMoment, Moment } from "../../../parts/values.tsx";
import { describeRateLimit } from "../../../records/terms.ts";
import { isUnknownRecord, useToken, useUsage } from "../../../records/token-queries.ts";
import { InvitationProgress } from "../confirmations/invitation-progress.tsx";
import { watchMs } from "../confirmations/outstanding.ts";
import { PendingConfirmation } from "../confirmations/request-card.tsx";
import { RevokeDialog } from "../dialogs/confirm-dialogs.tsx";
import { EditDialog } from "../dialogs/edit-dialog.tsx";
import { InviteDialog, RotateDialog } from "../dialogs/issue-dialogs.tsx";
import { clientFact } from "../list/client-filter.tsx";
import { StatusDetails } from "../token/status-badge.tsx";
import { confirmedMove, expiryOf, isInvited, isLive, isRevocable, statusOf } from "../token/token-status.ts";
import { UsageAlerts } from "../usage/usage-alerts.tsx";
import { UsageSection } from "../usage/usage-section.tsx";

export interface DetailsProps {
  id: string;
  /** The query of the list that the user came from. */
  listSearch: string;
}

/** Shows everything about a token, and the actions on it. */
export const TokenDetails = ({ id, listSearch }: DetailsProps) => {
  const query = useToken(id, watchMs);
  const { data: token, error } = query;
  // The usage determines what is shown above the rest. Both appear at the same time, so that nothing moves.
  const usage = useUsage(id);
  const isUnknown = isUnknownRecord(error);
  return (
    <SpaceBetween size="l">
      <PageTitle parts={[isUnknown ? "Token not found" : token ? tokenName(token) : "Token", "API settings"]} />
      <BackLink href={addresses.tokens + listSearch}>All tokens</BackLink>
      {isUnknown && <Header variant="h1">There is no token with this id</Header>}
      {isUnknown && (
        <Box>Check the address of this page. The record of a token is removed 90 days after the token has ended.</Box>
      )}
      {!isUnknown && !token && <Header variant="h1">Token</Header>}
      {!isUnknown && <LoadStatus subject="token" query={query} />}
      {!isUnknown && token && (
        <div className="sections">
          <DetailsHeader token={token} />
          <PendingConfirmation token={token} />
          <MoveAlert token={token} />
          {!usage.isFetched ? (
            <StatusIndicator type="loading">Loading the usage</StatusIndicator>
          ) : (
            <>
              <UsageAlerts token={token} />
              <Terms token={token} />
              <UsageSection token={token} />
              <TokenHistory token={token} />
            </>
          )}
        </div>
      )}
    </SpaceBetween>
  );
};

const DetailsHeader = ({ token }: { token: Token }) => {
  const { open } = useDialogs();
  const status = statusOf(token, useNow());
  // A workload gets its next token automatically, and the trust has the terms.
  const isOfWorkload = token.trust_id !== null;
  return (
    <Header
      variant="h1"
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          {status === "active" && !isOfWorkload && (
            <Button onClick={() => open(<RotateDialog token={token} />)}>Rotate</Button>
          )}
          {isLive(status) && !isOfWorkload && <Button onClick={() => open(<EditDialog token={token} />)}>Edit</Button>}
          {isRevocable(status) ? (
            <DangerButton variant="normal" onClick={() => open(<RevokeDialog token={token} />)}>
              Revoke
            </DangerButton>
          ) : (
            !isOfWorkload && (
              <Button onClick={() => open(<InviteDialog model={{ token, ip: token.ip }} />)}>Invite again</Button>
            )
          )}
        </SpaceBetween>
      }
    >
      <TokenName token={token} />
    </Header>
  );
};

/** Says that a move is confirmed but the client hasn't completed it yet. */
const MoveAlert = ({ token }: { token: Token }) => {
  const move = confirmedMove(token, useNow());
  return (
    move && (
      <Alert type="info" header="The move is confirmed">
        The client has to repeat its call from <Address ip={move.ip} />. Its time to do so ends{" "}
        <Moment time={move.until} />. Until then, the token keeps working from <BoundAddress token={token} />.
      </Alert>
    )
  );
};

const Terms = ({ token }: { token: Token }) => {
  const now = useNow();
  const expiry = expiryOf(token, now);
  return (
    <Facts
      items={[
        { label: "State", value: <StatusDetails token={token} /> },
        { label: "IP address", value: <BoundAddress token={token} /> },
        ...(token.trust_id === null
          ? []
          : [{ label: "Trusted workload", value: <TokenLink tokenId={token.trust_id} /> }]),
        ...clientFact(token),
        { label: "Token id", value: <code className="address">{token.token_id}</code> },
        { label: "Rate limit", value: describeRateLimit(token.rate_limit) },
        {
          label: "Expires",
          value: expiry === undefined ? "–" : <ExactMoment time={expiry} otherwise="Never" />,
        },
        ...(token.invitation === null ? [] : [invitationItem(token, token.invitation, now)]),
        {
          label: "Last used",
          value: (
            <>
              <ExactMoment time={token.last_used_at} otherwise="Never" />
              {token.last_used_at !== null && <div className="remark">Accurate to 5 minutes.</div>}
            </>
          ),
        },
      ]}
    />
  );
};

const invitationItem = (
  token: Token,
  { redeemed_at, expires_at }: NonNullable<Token["invitation"]>,
  now: number,
): KeyValuePairsProps.Item => {
  const isOpen = redeemed_at === null && isInvited(statusOf(token, now));
  if (!isOpen) return { label: "Invitation redeemed", value: <ExactMoment time={redeemed_at} otherwise="Never" /> };
  const value = (
    <>
      <ExactMoment time={expires_at} />
      <InvitationProgress token={token} />
    </>
  );
  return { label: "Invitation ends", value };
};

/** Shows the token's history, newest first. */
const TokenHistory = ({ token }: { token: Token }) => {
  const now = useNow();
  return (
    <RecordHistory
      record={{ token_id: token.token_id }}
      related={<PageLink href={addresses.historyOf({ person: token.token_id })}>Changes by this client</PageLink>}
      noteOn={(change) =>
        isByFinder(token, change) ? (
          <div>This is not the address of the token: somebody else had its secret, and revoked it.</div>
        ) : (
          wasIgnored(token, change, now) && <div>Nobody decided within {requestMinutes} minutes.</div>
        )
      }
    />
  );
};

/** Whether a change may come from someone who found the secret. Anyone with the secret can revoke the token, from any address. */
const isByFinder = ({ ip }: Token, { kind, by, from }: Change): boolean =>
  kind === "revoked" && authorOf(by).type === "client" && from !== null && from !== ip;

const wasIgnored = ({ request }: Token, { kind, details }: Change, now: number): boolean =>
  kind === "requested" &&
  request !== null &&
  request.code === details.code &&
  request.decision === null &&
  Date.parse(request.expires_at) <= now;
