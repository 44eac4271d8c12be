import { Button, LiveRegion, SpaceBetween } from "@cloudscape-design/components";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { DangerButton } from "../../../parts/danger-button.tsx";
import { useDialogs } from "../../../parts/dialog.tsx";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { Section } from "../../../parts/page.tsx";
import { useNow } from "../../../parts/time.ts";
import { BoundAddress, tokenName } from "../../../parts/token-name.tsx";
import { Address, Moment } from "../../../parts/values.tsx";
import { pendingRequest } from "../token/token-status.ts";
import { type Decision, DecisionDialog } from "./decision-dialog.tsx";

interface RequestProps {
  token: Token;
  request: ConfirmationRequest;
}

/** The buttons that decide a request. */
export const DecisionButtons = ({ token, request }: RequestProps) => {
  const { open } = useDialogs();
  const decide = (decision: Decision, text: string) => ({
    children: text,
    ariaLabel: `${text} ${request.ip} for ${tokenName(token)}`,
    onClick: () => open(<DecisionDialog {...{ decision, token, request }} />),
  });
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <Button {...decide("confirm", "Confirm")} />
      <DangerButton variant="normal" {...decide("reject", "Reject")} />
    </SpaceBetween>
  );
};

/** Says what the client wants, and for how long it waits. The name of the client stands before it. */
export const RequestSentence = ({ token, request }: RequestProps) => (
  <>
    {request.for === "invitation" ? (
      "wants to use its invitation at "
    ) : (
      <>
        wants to move from <BoundAddress token={token} /> to{" "}
      </>
    )}
    <Address ip={request.ip} />.{" "}
    <span className="remark">
      Asked <Moment time={request.requested_at} />, ends <Moment time={request.expires_at} />.
    </span>
  </>
);

/** Shows a confirmation request below the name of its token, with buttons to decide it. The code comes from the operator. */
export const RequestCard = (props: RequestProps) => (
  <div className="row spread">
    <div>
      The client <RequestSentence {...props} />
    </div>
    <DecisionButtons {...props} />
  </div>
);

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

const Pending = (props: RequestProps) => {
  useFocusAfterwards();
  return (
    <Section
      title="Awaiting confirmation"
      description="Call the client's operator, who sees an address and a code. You need both to confirm."
    >
      <RequestCard {...props} />
    </Section>
  );
};
