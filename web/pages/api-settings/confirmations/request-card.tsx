import Button from "@cloudscape-design/components/button";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { addresses } from "../../../../lambdas/addresses.ts";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { Moment } from "../../../parts/moment.tsx";
import { PageLink } from "../../../parts/page-link.tsx";
import { TokenName, tokenName } from "../../../tokens/token-name.tsx";
import { BoundAddress } from "../token/bound-address.tsx";
import type { Decision } from "../token/open-dialog.ts";
import { RequestFacts } from "./request-facts.tsx";

interface RequestCardProps {
  token: Token;
  request: ConfirmationRequest;
  /** Names the token, unless it is clear from what is around the card. */
  isNamed: boolean;
  onDecide: (decision: Decision) => void;
}

/** A request for confirmation: whose it is, what to compare, how old it is, and the buttons that decide it. */
export const RequestCard = ({ token, request, isNamed, onDecide }: RequestCardProps) => {
  const labelled = (what: string) => `${what} ${request.ip} for ${tokenName(token)}`;
  return (
    <div className="request-card">
      <div>
        {isNamed && (
          <div className="short-text">
            <PageLink href={addresses.token(token.token_id)}>
              <TokenName token={token} />
            </PageLink>
          </div>
        )}
        <div className="remark">
          {request.for === "invitation" ? (
            "Invitation"
          ) : (
            <>
              Move from <BoundAddress token={token} />
            </>
          )}
          , asked <Moment time={request.requested_at} />, ends <Moment time={request.expires_at} />
        </div>
      </div>
      <RequestFacts request={request} />
      <SpaceBetween direction="horizontal" size="xs">
        <Button ariaLabel={labelled("Confirm")} onClick={() => onDecide("confirm")}>
          Confirm
        </Button>
        <Button ariaLabel={labelled("Reject")} onClick={() => onDecide("reject")}>
          Reject
        </Button>
      </SpaceBetween>
    </div>
  );
};
