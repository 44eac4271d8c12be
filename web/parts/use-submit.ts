import { useState } from "react";
import { type ApiFailure, toApiFailure } from "../api/api-failure.ts";

/** What becomes of a form that is sent: once at a time, and never again by itself. */
export const useSubmit = () => {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();

  const submit = async (send: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await send();
    } catch (error) {
      setFailure(toApiFailure(error));
    } finally {
      setBusy(false);
    }
  };

  /** What is wrong with a field, in the service's words; empty if nothing is. */
  const problemOf = (field: string): string => failure?.fields[field]?.join(" ") ?? "";

  return { isBusy, failure, submit, problemOf };
};
