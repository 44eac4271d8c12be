import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import type { ReactNode } from "react";
import { NothingHere } from "../../../parts/list-table.tsx";

/** In place of the rows when there is no token at all. */
export const NoTokens = ({ action }: { action: ReactNode }) => (
  <NothingHere title="No tokens yet">
    <Box color="text-body-secondary">
      A client needs a token to call the API. The token is bound to the client's IP address. Invite the client, and it
      gets its token by itself.
    </Box>
    {action}
  </NothingHere>
);

interface NoMatchProps {
  /** Whether other tokens are still to come. */
  isArriving: boolean;
  onClear: () => void;
}

/** In place of the rows when the filters leave none. */
export const NoMatch = ({ isArriving, onClear }: NoMatchProps) => (
  <NothingHere title={isArriving ? "No token matches so far" : "No token matches"}>
    {isArriving && <Box color="text-body-secondary">More tokens are being loaded.</Box>}
    <Button onClick={onClear}>Show all tokens</Button>
  </NothingHere>
);
