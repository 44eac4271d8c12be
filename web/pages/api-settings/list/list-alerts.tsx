import Alert from "@cloudscape-design/components/alert";
import type { ApiFailure } from "../../../api/api-failure.ts";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import { RefreshFailure } from "../../../parts/load-status.tsx";
import type { TokenList } from "../../../tokens/token-list.ts";

interface ListAlertsProps {
  list: TokenList;
  failure: ApiFailure | null;
  onRetry: () => void;
}

/** Says in what way the rows are not all tokens as they are now. */
export const ListAlerts = ({ list: { byId, missing, loadedAt }, failure, onRetry }: ListAlertsProps) => {
  const count = byId.size.toLocaleString("en");
  return (
    <>
      {failure && missing === "rest" && (
        <FailureAlert title={`Only ${count} tokens could be loaded`} failure={failure} onRetry={onRetry} />
      )}
      {failure && missing !== "rest" && (
        <RefreshFailure
          title="The tokens could not be refreshed"
          failure={failure}
          loadedAt={loadedAt}
          onRetry={onRetry}
        />
      )}
      {missing === "beyond limit" && (
        <Alert type="warning">
          There are more tokens than this table holds. It shows the first {count}, in no particular order; list the
          others by invoking the admin function.
        </Alert>
      )}
    </>
  );
};
