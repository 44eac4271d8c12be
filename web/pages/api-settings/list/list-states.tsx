import Alert from "@cloudscape-design/components/alert";
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import type { ReactNode } from "react";
import { FailureAlert, RefreshFailure } from "../../../parts/failures.tsx";
import { NothingHere } from "../../../parts/list-table.tsx";
import type { useTokenList } from "../../../tokens/token-list.ts";

/** Says in what way the rows are not all tokens as they are now. */
export const ListAlerts = ({ query }: { query: ReturnType<typeof useTokenList> }) => {
  const { data: list, error, refetch } = query;
  if (!list) return null;
  const count = list.byId.size.toLocaleString("en");
  if (list.missing === "rest") {
    return error && <FailureAlert title={`Only ${count} tokens could be loaded`} failure={error} onRetry={refetch} />;
  }
  return (
    <>
      <RefreshFailure subject="tokens" query={{ ...query, dataUpdatedAt: list.loadedAt }} />
      {list.missing === "beyond limit" && (
        <Alert type="warning">
          There are more tokens than this table holds. It shows the first {count}, in no particular order; list the
          others by invoking the admin function.
        </Alert>
      )}
    </>
  );
};

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
