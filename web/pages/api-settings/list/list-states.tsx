import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { ReactNode } from "react";

/** In place of the rows when there is no token at all. */
export const NoTokens = ({ action }: { action: ReactNode }) => (
  <Box textAlign="center" padding={{ vertical: "l" }}>
    <SpaceBetween size="s">
      <Box variant="strong">No tokens yet</Box>
      <Box color="text-body-secondary">
        A client needs a token, bound to its own IP address, to call the API. Invite it: it then fetches its token
        itself.
      </Box>
      {action}
    </SpaceBetween>
  </Box>
);

interface NoMatchProps {
  /** Whether other tokens are still to come. */
  isArriving: boolean;
  onClear: () => void;
}

/** In place of the rows when the filters leave none. */
export const NoMatch = ({ isArriving, onClear }: NoMatchProps) => (
  <Box textAlign="center" padding={{ vertical: "l" }}>
    <SpaceBetween size="s">
      <Box variant="strong">{isArriving ? "No token matches so far" : "No token matches"}</Box>
      {isArriving && <Box color="text-body-secondary">More tokens are being loaded.</Box>}
      <Button onClick={onClear}>Show all tokens</Button>
    </SpaceBetween>
  </Box>
);
