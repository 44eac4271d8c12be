import { LiveRegion, StatusIndicator, type StatusIndicatorProps } from "@cloudscape-design/components";
import type { ReactNode } from "react";
import type { Token } from "../../../api/types.ts";
import { useNow } from "../../../parts/time.ts";
import { BoundAddress } from "../../../parts/token-name.tsx";
import { Address, Moment } from "../../../parts/values.tsx";
import { statusOf } from "../token/token-status.ts";

/** Shows the client's progress with its invitation. */
export const InvitationProgress = ({ token }: { token: Token }) => {
  const now = useNow();
  return (
    <LiveRegion>
      <Step token={token} now={now} />
    </LiveRegion>
  );
};

const Step = ({ token, now }: { token: Token; now: number }) => {
  const { invitation, request } = token;
  switch (statusOf(token, now)) {
    case "awaiting_confirmation":
      return <Line type="pending">The client has called. Ask its operator for the code, and confirm.</Line>;
    case "invited":
      if (request?.decision === "confirmed") {
        return (
          <Line type="in-progress">
            <Address ip={request.ip} /> is confirmed. The command gets the token within seconds.
          </Line>
        );
      }
      if (request?.decision === "rejected") {
        return (
          <Line type="warning">
            The request from <Address ip={request.ip} /> was rejected. Calls from other addresses ask again.
          </Line>
        );
      }
      return <Line type="in-progress">Waiting for the client's call</Line>;
    case "active":
    case "rotated":
      return (
        <Line type="success">
          The client at <BoundAddress token={token} /> has had its token since{" "}
          <Moment time={invitation?.redeemed_at ?? null} />. The invitation can no longer be used.
        </Line>
      );
    case "revoked":
      return <Line type="stopped">The invitation was revoked.</Line>;
    case "expired":
      return <Line type="stopped">The invitation has ended.</Line>;
  }
};

/** The text is outside the indicator, because the indicator breaks long texts within words. */
const Line = ({ type, children }: { type: StatusIndicatorProps.Type; children: ReactNode }) => (
  <div className="progress-line">
    <StatusIndicator type={type} iconAriaLabel={type} />
    <span>{children}</span>
  </div>
);
