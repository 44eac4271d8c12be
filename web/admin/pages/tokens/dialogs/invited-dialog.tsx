import { SpaceBetween } from "@cloudscape-design/components";
import { tokenPaths } from "../../../../../lambdas/shared/addresses.ts";
import type { InvitedToken, Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.tsx";
import { DialogsProvider, useDialogs } from "../../../parts/dialog.tsx";
import { RefreshFailure } from "../../../parts/failures.tsx";
import { localTime, useNow } from "../../../parts/time.ts";
import { Address } from "../../../parts/values.tsx";
import { withoutSecret } from "../../../records/caches.ts";
import { useToken } from "../../../records/token-queries.ts";
import { InvitationProgress } from "../confirmations/invitation-progress.tsx";
import { soonMs } from "../confirmations/outstanding.ts";
import { RequestCard } from "../confirmations/request-card.tsx";
import { isInvited, pendingRequest, statusOf } from "../token/token-status.ts";
import { CopyBox, ShownOnceDialog } from "./shown-once-dialog.tsx";

/** Shows once the command that redeems an invitation, and the client's progress with it. */
export const InvitedDialog = ({ invited }: { invited: InvitedToken }) => {
  const { baseUrl } = useApp();
  const { close } = useDialogs();
  const now = useNow();
  const watched = useToken(invited.token_id, (token) => isInvited(statusOf(token, Date.now())) && soonMs);
  const { data: token = withoutSecret(invited) } = watched;
  const isOpen = isInvited(statusOf(token, now));
  const request = pendingRequest(token, now);
  const { invitation_text } = invited;
  return (
    <DialogsProvider>
      <ShownOnceDialog
        title={isOpen ? "Send this line to the client's operator" : "The invitation is over"}
        secret={invitation_text}
        isSpent={!isOpen}
        advice={advice}
        loss={loss}
        onClose={close}
      >
        {(onCopy) => (
          <SpaceBetween size="m">
            {isOpen && <CopyBox label="Line" text={redeemingLine(baseUrl, invitation_text)} onCopy={onCopy} />}
            <RefreshFailure
              subject="invitation"
              title="It is not known whether the client has called"
              query={watched}
            />
            <InvitationProgress token={token} />
            {request && <RequestCard token={token} request={request} />}
            {isOpen && <Explanation token={token} />}
          </SpaceBetween>
        )}
      </ShownOnceDialog>
    </DialogsProvider>
  );
};

const advice = {
  before: "Copy the line now: only a hash of the invitation is stored, so it cannot be shown again.",
  after: "The line is in your clipboard. Send it to the client's operator.",
};

const loss = {
  header: "You have not copied the line",
  explanation:
    "Once this dialog is closed, nobody can see the invitation again, and you would have to create another one.",
};

/** Explains the command to the admin. */
const Explanation = ({ token: { ip, invitation } }: { token: Token }) => (
  <ul className="explanation stack">
    <li>
      The operator runs it on the client's machine
      {ip !== null && (
        <>
          , at <Address ip={ip} />
        </>
      )}
      . It stores the token in the file token.json, which only the operator's account can read. Nobody has to see it.
    </li>
    {ip === null && (
      <li>
        It first shows an address and a code, and waits. Ask the operator for both and confirm here, while the line is
        still running.
      </li>
    )}
    <li>It works until {localTime(invitation?.expires_at ?? "")}, and for one token: once used, it is harmless.</li>
    <li>
      If the operator has no token and the line says that the invitation has already been used, somebody else has used
      it: revoke the token, and invite the client again.
    </li>
  </ul>
);

/**
 * Returns a command for any POSIX shell. Until an admin has confirmed the address, it shows the code and repeats its call. Then it
 * stores the token. An error response never overwrites a stored token.
 */
const redeemingLine = (baseUrl: string, invitation: string): string =>
  [
    "umask 077;",
    `until curl -sS -X POST ${baseUrl}${tokenPaths.token} -H 'Accept: application/json' -H 'X-Token: ${invitation}'`,
    `-o answer.json && ! grep '"code":"[A-Z0-9]*-' answer.json; do sleep 5; done;`,
    `grep -q '"token":' answer.json && mv answer.json token.json && echo 'The token is in token.json.' || cat answer.json`,
  ].join(" ");
