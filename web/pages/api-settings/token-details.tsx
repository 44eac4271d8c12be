import Button from "@cloudscape-design/components/button";
import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import KeyValuePairs from "@cloudscape-design/components/key-value-pairs";
import SpaceBetween from "@cloudscape-design/components/space-between";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { useCallback, useState } from "react";
import type { Token } from "../../api/token.ts";
import type { Usage } from "../../api/usage.ts";
import { Address } from "../../parts/address.tsx";
import { BackLink } from "../../parts/back-link.tsx";
import { FailureAlert } from "../../parts/failure-alert.tsx";
import { ExactMoment } from "../../parts/moment.tsx";
import { useNow } from "../../parts/time.ts";
import { useLoaded } from "../../parts/use-loaded.ts";
import { useApp } from "../../shell/app-context.ts";
import { addresses } from "../../shell/routing.ts";
import { describeRateLimit } from "./rate-limit.ts";
import { type OpenDialog, TokenDialog } from "./token-dialog.tsx";
import { TokenHistory } from "./token-history.tsx";
import { tokenName } from "./token-name.tsx";
import { standingOf, TokenStanding } from "./token-standing.tsx";
import { LeakAlert } from "./usage/leak-alert.tsx";
import { RotationAlert } from "./usage/rotation-alert.tsx";
import { UseSection } from "./usage/use-section.tsx";
import { useUsage } from "./usage/use-usage.ts";
import type { TokenList } from "./use-token-list.ts";

interface TokenDetailsProps {
  tokenId: string;
  list: TokenList;
}

/** All that is known of one token, and what can be done with it. */
export const TokenDetails = ({ tokenId, list }: TokenDetailsProps) => {
  const { api } = useApp();
  const { put } = list;
  const load = useCallback(async () => {
    const token = await api.getToken(tokenId);
    put(token);
    return token;
  }, [api, tokenId, put]);
  const { value, failure, reload, update } = useLoaded(load);
  const [open, setOpen] = useState<OpenDialog>();
  const token = value ?? list.find(tokenId);
  const { reload: reloadUsage, ...usage } = useUsage(tokenId);

  const onChange = (changed: Token) => {
    list.put(changed);
    if (changed.token_id !== tokenId) return;
    update(() => changed);
    reloadUsage();
  };

  return (
    <SpaceBetween size="l">
      <BackLink href={addresses.tokens}>All tokens</BackLink>
      {!token && <Header variant="h1">Token</Header>}
      {failure && <FailureAlert title="The token could not be loaded" failure={failure} onRetry={reload} />}
      {!token && !failure && <StatusIndicator type="loading">Loading the token</StatusIndicator>}
      {token && (
        <SpaceBetween size="m">
          <DetailsHeader token={token} onOpen={setOpen} />
          {usage.value && <UseAlerts token={token} usage={usage.value} onChange={onChange} />}
          <Terms token={token} />
          <UseSection loaded={usage} onReload={reloadUsage} />
          <Container header={<Header variant="h2">History</Header>}>
            <TokenHistory token={token} />
          </Container>
        </SpaceBetween>
      )}
      <TokenDialog open={open} onClose={() => setOpen(undefined)} onChange={onChange} onDoubt={reload} />
    </SpaceBetween>
  );
};

/** What the use of a token calls an admin to do, while there is something to do. */
const UseAlerts = ({ token, ...props }: { token: Token; usage: Usage; onChange: (token: Token) => void }) => {
  const standing = standingOf(token, useNow());
  if (standing !== "active" && standing !== "rotated") return null;
  return (
    <>
      <LeakAlert {...props} />
      {standing === "rotated" && <RotationAlert token={token} {...props} />}
    </>
  );
};

const DetailsHeader = ({ token, onOpen }: { token: Token; onOpen: (dialog: OpenDialog) => void }) => {
  const standing = standingOf(token, useNow());
  const isLive = standing === "active" || standing === "rotated";
  return (
    <Header
      variant="h1"
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          {standing === "active" && <Button onClick={() => onOpen({ name: "rotate", token })}>Rotate</Button>}
          {isLive && <Button onClick={() => onOpen({ name: "limit", token })}>Edit limit</Button>}
          {isLive && <Button onClick={() => onOpen({ name: "revoke", token })}>Revoke</Button>}
        </SpaceBetween>
      }
    >
      {tokenName(token)}
    </Header>
  );
};

const Terms = ({ token }: { token: Token }) => (
  <Container>
    <KeyValuePairs
      columns={4}
      minColumnWidth={230}
      items={[
        { label: "State", value: <TokenStanding token={token} /> },
        { label: "IP address", value: <Address ip={token.ip} /> },
        { label: "Token id", value: <code className="address">{token.token_id}</code> },
        { label: "Comment", value: token.comment || "–" },
        { label: "Limit", value: describeRateLimit(token.rate_limit) },
        {
          label: "Expires",
          value: token.state === "revoked" ? "–" : <ExactMoment time={token.expires_at} otherwise="Never" />,
        },
        {
          label: "Last used",
          value: (
            <>
              <ExactMoment time={token.last_used_at} otherwise="Never" />
              <div className="remark">To within 5 minutes.</div>
            </>
          ),
        },
      ]}
    />
  </Container>
);
