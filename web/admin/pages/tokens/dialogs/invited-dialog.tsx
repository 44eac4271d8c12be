import { Link, SegmentedControl, SpaceBetween } from "@cloudscape-design/components";
import { useState } from "react";
import { documentationPage } from "../../../../../lambdas/shared/addresses.ts";
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
import { redeemingCommands } from "./redeeming-commands.ts";
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
        title={isOpen ? "Send this command to the client's operator" : "The invitation can no longer be used"}
        secret={invitation_text}
        isSpent={!isOpen}
        advice={advice}
        loss={loss}
        onClose={close}
      >
        {(onCopy) => (
          <SpaceBetween size="m">
            {isOpen && <Commands baseUrl={baseUrl} invitation={invitation_text} onCopy={onCopy} />}
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
  before: "Copy the command now: only a hash of the invitation is stored, so it cannot be shown again.",
  after: "The command is in your clipboard. Send it to the client's operator.",
};

const loss = {
  header: "You have not copied the command",
  explanation:
    "Once this dialog is closed, nobody can see the invitation again, and you would have to create another one.",
};

interface CommandsProps {
  baseUrl: string;
  invitation: string;
  onCopy: (copied: string) => void;
}

const storageKey = "redeeming-command";

/** Shows the command that redeems the invitation, for the environment that the admin chose last. */
const Commands = ({ baseUrl, invitation, onCopy }: CommandsProps) => {
  const commands = redeemingCommands(baseUrl, invitation);
  const [name, setName] = useState(() => localStorage.getItem(storageKey));
  const chosen = commands.find((command) => command.name === name) ?? commands[0];
  const choose = (name: string) => {
    localStorage.setItem(storageKey, name);
    setName(name);
  };
  return (
    chosen && (
      <SpaceBetween size="s">
        <SegmentedControl
          label="Run with"
          options={commands.map(({ name }) => ({ id: name, text: name }))}
          selectedId={chosen.name}
          onChange={({ detail }) => choose(detail.selectedId)}
        />
        <CopyBox key={chosen.name} label="Command" text={chosen.code} onCopy={onCopy} />
        {chosen.client && (
          <div>
            The client's machine needs the{" "}
            <Link href={documentationPage("clients")} external>
              {chosen.client} client
            </Link>
            .
          </div>
        )}
      </SpaceBetween>
    )
  );
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
        It first shows an address and a code, and waits. Ask the operator for both, and confirm here while the command
        is still running.
      </li>
    )}
    <li>The invitation works once, until {localTime(invitation?.expires_at ?? "")}.</li>
    <li>
      If the operator has no token and the command reports that the invitation has already been used, somebody else has
      used it: revoke the token, and invite the client again.
    </li>
  </ul>
);
