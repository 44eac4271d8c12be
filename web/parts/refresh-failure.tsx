import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import type { ApiFailure } from "../api/api-failure.ts";
import { Moment } from "./moment.tsx";

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
