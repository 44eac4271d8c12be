import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import type { ReactNode } from "react";
import type { ApiFailure } from "../api/api-failure.ts";

interface FailureAlertProps {
  /** What failed: "The tokens could not be loaded". */
  title: string;
  failure: ApiFailure;
  /** Offered unless trying again cannot help. */
  onRetry?: () => void;
  /** What else there is to say. */
  children?: ReactNode;
}

/** Says why something failed and what to do next. */
export const FailureAlert = ({ title, failure, onRetry, children }: FailureAlertProps) => (
  <Alert
    type="error"
    header={title}
    action={onRetry && failure.status !== 404 && <Button onClick={onRetry}>Try again</Button>}
  >
    {failure.message} {children}
  </Alert>
);
