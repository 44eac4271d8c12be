import SpaceBetween from "@cloudscape-design/components/space-between";
import { tokenPaths } from "../../../../lambdas/addresses.ts";
import type { IssuedToken, Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.tsx";
import { BoundAddress } from "../../../tokens/token-name.tsx";
import { CopyBox, ShownOnceDialog } from "./shown-once-dialog.tsx";

interface IssuedDialogProps {
  title: string;
  issued: IssuedToken;
  onClose: () => void;
}

/** Shows the text of a new token, once. */
export const IssuedDialog = ({ title, issued, onClose }: IssuedDialogProps) => {
  const { baseUrl } = useApp();
  const { token } = issued;
  return (
    <ShownOnceDialog title={title} secret={token} advice={advice} loss={loss} onClose={onClose}>
      {(onCopy) => (
        <SpaceBetween size="l">
          <CopyBox label="Token" text={token} onCopy={onCopy} />
          <CopyBox label="Try it" text={curlLine(baseUrl, token)} onCopy={onCopy} />
          <div>
            The token works from <BoundAddress token={issued} /> and from no other address: try it there.
          </div>
        </SpaceBetween>
      )}
    </ShownOnceDialog>
  );
};

const advice = {
  before: "Copy the token now: only its hash is stored, so it cannot be shown again.",
  after: "The token is in your clipboard. Store it where the client reads it, and nowhere else.",
};

const loss = {
  header: "You have not copied the token",
  explanation: "Once this dialog is closed, nobody can see the token again, and you would have to issue another one.",
};

/** The record without the text, which is kept only in the dialog that shows it. */
export const withoutText = ({ token: _, ...record }: IssuedToken): Token => record;

const curlLine = (baseUrl: string, token: string): string =>
  `curl -H 'Accept: application/json' -H 'X-Token: ${token}' ${baseUrl}${tokenPaths.token}`;
