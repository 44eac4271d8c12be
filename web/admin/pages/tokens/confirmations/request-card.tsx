import { Button, LiveRegion, SpaceBetween } from "@cloudscape-design/components";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { DangerButton } from "../../../parts/danger-button.tsx";
import { useDialogs } from "../../../parts/dialog.tsx";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { PageLink, Section } from "../../../parts/page.tsx";
import { useNow } from "../../../parts/time.ts";
import { BoundAddress, tokenName } from "../../../parts/token-name.tsx";
import { Address, Moment, OneLine } from "../../../parts/values.tsx";
import { pendingRequest } from "../token/token-status.ts";
import { type Decision, DecisionDialog } from "./decision-dialog.tsx";

interface RequestCardProps {
  token: Token;
  request: ConfirmationRequest;
  /** Whether to name the token. Not needed if the surroundings of the card identify it. */
  isNamed: boolean;
}

/** Shows the client, address and age of a confirmation request, with buttons to decide it. The code comes from the operator. */
export const RequestCard = ({ token, request, isNamed }: RequestCardProps) => {
  const { open } = useDialogs();
  const decide = (decision: Decision, text: string) => ({
    children: text,
    ariaLabel: `${text} ${request.ip} for ${tokenName(token)}`,
    onClick: () => open(<DecisionDialog {...{ decision, token, request }} />),
  });
  return (
    <div className="request-card row">
      <div>
        {isNamed && (
          <PageLink href={addresses.token(token.token_id)}>
            <OneLine text={tokenName(token)} />
          </PageLink>
        )}
        <div>
          {request.for === "invitation" ? (
            "Wants to use its invitation at "
          ) : (
            <>
              Wants to move from <BoundAddress token={token} /> to{" "}
            </>
          )}
          <Address ip={request.ip} />
        </div>
        <div className="remark">
          Asked <Moment time={request.requested_at} />, ends <Moment time={request.expires_at} />
        </div>
      </div>
      <SpaceBetween direction="horizontal" size="xs">
        <Button {...decide("confirm", "Confirm")} />
        <DangerButton variant="normal" {...decide("reject", "Reject")} />
      </SpaceBetween>
    </div>
  );
};

/** Announces new requests to screen readers. */
export const RequestNews = ({ count }: { count: number }) => (
  <LiveRegion hidden>
    {count > 0 && `${count === 1 ? "A request awaits" : `${count} requests await`} confirmation.`}
  </LiveRegion>
);

/** Shows the token's pending request, if there is one. */
export const PendingConfirmation = ({ token }: { token: Token }) => {
  const request = pendingRequest(token, useNow());
  return (
    <>
      <RequestNews count={request ? 1 : 0} />
      {request && <Pending token={token} request={request} />}
    </>
  );
};

const Pending = (props: Omit<RequestCardProps, "isNamed">) => {
  useFocusAfterwards();
  return (
    <Section
      title="Awaiting confirmation"
      description="Call the client's operator, who sees an address and a code. You need both to confirm."
    >
      <RequestCard {...props} isNamed={false} />
    </Section>
  );
};
