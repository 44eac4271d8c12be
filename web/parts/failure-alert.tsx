import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import type { ApiFailure } from "../api/api-failure.ts";

interface FailureAlertProps {
  /** What did not come about: "The tokens could not be loaded". */
  title: string;
  failure: ApiFailure;
  /** Offered where trying again can do no harm. */
  onRetry?: () => void;
}

/** Why something failed, and the way on. */
export const FailureAlert = ({ title, failure, onRetry }: FailureAlertProps) => (
  <Alert type="error" header={title} action={onRetry && <Button onClick={onRetry}>Try again</Button>}>
    {failure.message}
  </Alert>
);
