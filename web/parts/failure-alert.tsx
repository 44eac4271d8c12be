import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import type { ApiFailure } from "../api/api-failure.ts";

interface FailureAlertProps {
  /** What did not come about: "The tokens could not be loaded". */
  title: string;
  failure: ApiFailure;
  /** Offered unless there is nothing to hope for. */
  onRetry?: () => void;
}

/** Why something failed, and the way on. */
export const FailureAlert = ({ title, failure, onRetry }: FailureAlertProps) => (
  <Alert
    type="error"
    header={title}
    action={onRetry && failure.status !== 404 && <Button onClick={onRetry}>Try again</Button>}
  >
    {failure.message}
  </Alert>
);
