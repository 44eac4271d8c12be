import { useCallback, useEffect, useRef, useState } from "react";
import { type ApiFailure, toApiFailure } from "../api/api-failure.ts";

/** What was loaded, as far as it is. A value stays while a newer one is on its way. */
export interface Loaded<Value> {
  value?: Value | undefined;
  failure?: ApiFailure | undefined;
  isLoading: boolean;
}

/** Loads a value when the component appears, and again when `load` changes or on demand. `load` must come from useCallback. */
export const useLoaded = <Value>(load: () => Promise<Value>) => {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ isLoading: true });
  const latest = useRef<object>(undefined);

  const reload = useCallback(async () => {
    const round = {};
    latest.current = round;
    setLoaded(({ value }) => ({ value, isLoading: true }));
    const outcome = await load().then(
      (value) => ({ value, isLoading: false }),
      (error: unknown) => ({ failure: toApiFailure(error), isLoading: false }),
    );
    // An answer that comes after a newer question is of no interest.
    if (latest.current === round) setLoaded(outcome);
  }, [load]);

  useEffect(() => {
    setLoaded({ isLoading: true });
    reload();
    return () => {
      latest.current = undefined;
    };
  }, [reload]);

  /** Puts in what is known without asking again. */
  const update = useCallback((change: (value: Value) => Value) => {
    setLoaded((old) => (old.value === undefined ? old : { ...old, value: change(old.value) }));
  }, []);
  return { ...loaded, reload, update };
};
