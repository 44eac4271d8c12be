import { Alert, Button, StatusIndicator } from "@cloudscape-design/components";
import type { ReactNode } from "react";
import { type ApiFailure, offline } from "../api/api-failure.ts";
import { useIsOnline } from "./browser.ts";
import { Moment } from "./values.tsx";

/** The react-query state of something that a page loads. */
export interface Loading {
  data: unknown;
  error: ApiFailure | null;
  /** When `data` was loaded, in Unix milliseconds. */
  dataUpdatedAt: number;
  refetch: () => unknown;
}

interface FailureAlertProps {
  /** What failed, such as "The tokens could not be loaded". */
  title: string;
  failure: ApiFailure;
  /** Offered unless a retry can't help. */
  onRetry?: (() => unknown) | undefined;
  /** Further explanation. */
  children?: ReactNode;
}

/** Says why something failed and what to do next. While the browser is offline, the shell's message covers the next step. */
export const FailureAlert = ({ title, failure, onRetry, children }: FailureAlertProps) => {
  const isOnline = useIsOnline();
  if (!isOnline && failure.isUnreachable) return <span className="remark">{title} because you are offline.</span>;
  return (
    <Alert
      type="error"
      header={title}
      action={onRetry && failure.status !== 404 && <Button onClick={onRetry}>Try again</Button>}
    >
      {failure.message} {children}
    </Alert>
  );
};

interface LoadFailureProps extends Pick<FailureAlertProps, "failure" | "onRetry"> {
  subject: string;
}

/** Says that something couldn't be loaded. Requests made offline are retried automatically once the browser is online. */
export const LoadFailure = ({ subject, failure, onRetry }: LoadFailureProps) =>
  failure.code === offline ? (
    <span className="remark">The {subject} will be loaded when you are online again.</span>
  ) : (
    <FailureAlert title={`The ${subject} could not be loaded`} failure={failure} onRetry={onRetry} />
  );

interface LoadStatusProps {
  /** What is being loaded, such as "token". */
  subject: string;
  query: Loading;
}

interface RefreshFailureProps extends LoadStatusProps {
  /** The consequence, if it is more than a failed refresh. */
  title?: string;
}

/** Says that the displayed data couldn't be refreshed, and how old it is. */
export const RefreshFailure = ({ subject, title, query }: RefreshFailureProps) => {
  const { data, error, dataUpdatedAt, refetch } = query;
  const isOnline = useIsOnline();
  if (!error || data === undefined) return null;
  if (error.code === offline || (!isOnline && error.isUnreachable)) return null;
  return (
    <Alert
      type="warning"
      header={title ?? `The ${subject} could not be refreshed`}
      action={<Button onClick={refetch}>Try again</Button>}
    >
      {error.message} What you see was loaded <Moment time={new Date(dataUpdatedAt).toISOString()} />.
    </Alert>
  );
};

/** Shows whether something is loading, failed to load, or failed to refresh. */
export const LoadStatus = ({ subject, query }: LoadStatusProps) => {
  const { data, error, refetch } = query;
  if (data !== undefined) return <RefreshFailure subject={subject} query={query} />;
  if (!error) return <StatusIndicator type="loading">Loading the {subject}</StatusIndicator>;
  return <LoadFailure subject={subject} failure={error} onRetry={refetch} />;
};
