import { useSyncExternalStore } from "react";

/** What the page shows, from the fragment of its address: `#/guide/errors/token_missing`. */
export interface Route {
  /** `guide` or the name of a version. */
  section: string;
  /** The id of a chapter or of an operation. */
  id: string;
  /** The id of an element in it. */
  anchor: string;
}

const subscribe = (listener: () => void) => {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
};

export const useRoute = (): Route => {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [, section = "", id = "", anchor = ""] = hash.split("/");
  return { section, id, anchor };
};
