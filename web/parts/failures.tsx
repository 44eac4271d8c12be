import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import type { ReactNode } from "react";
import type { ApiFailure } from "../api/api-failure.ts";
import { Moment } from "./values.tsx";

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

interface RefreshFailureProps {
  /** What failed: "The keys could not be refreshed". */
  title: string;
  failure: ApiFailure;
  /** When what is shown was loaded: Unix milliseconds. */
  loadedAt: number;
  onRetry: () => void;
}

/** Says that what is shown could not be loaded again, and how old it is. */
export const RefreshFailure = ({ title, failure, loadedAt, onRetry }: RefreshFailureProps) => (
  <Alert type="warning" header={title} action={<Button onClick={onRetry}>Try again</Button>}>
    {failure.message} What you see was loaded <Moment time={new Date(loadedAt).toISOString()} />.
  </Alert>
);

interface LoadStatusProps {
  /** What is loaded: "token". */
  subject: string;
  isLoaded: boolean;
  failure: ApiFailure | null;
  loadedAt: number;
  onRetry: () => void;
}

/** Says that something is still loading, could not be loaded, or could not be loaded again. */
export const LoadStatus = ({ subject, isLoaded, failure, loadedAt, onRetry }: LoadStatusProps) => {
  if (!failure) return !isLoaded && <StatusIndicator type="loading">Loading the {subject}</StatusIndicator>;
  if (!isLoaded) return <FailureAlert title={`The ${subject} could not be loaded`} {...{ failure, onRetry }} />;
  return <RefreshFailure title={`The ${subject} could not be refreshed`} {...{ failure, loadedAt, onRetry }} />;
};
