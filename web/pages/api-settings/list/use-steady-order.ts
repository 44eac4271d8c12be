import { type RefObject, useEffect, useState } from "react";
import type { TokenList } from "../../../tokens/token-list.ts";

/** What shows that someone is at work in the list. */
const signsOfWork = ["pointermove", "pointerdown", "wheel", "keydown"];

/**
 * Keeps the rows in their places while the rest of the list arrives: how many tokens, from the first, are in order before all
 * others. The others take their places when the order or the filters change, when the user asks for it, or when the list is
 * complete and nobody has touched it.
 */
export const useSteadyOrder = (list: TokenList | undefined, order: string, section: RefObject<HTMLElement | null>) => {
  const [held, setHeld] = useState<{ count: number; order: string }>();
  const [isTouched, setTouched] = useState(false);
  const count = list?.byId.size ?? 0;
  const isArriving = list?.missing === "rest";

  if (isArriving && held?.order !== order) setHeld({ count, order });
  if (held && !isArriving && (!isTouched || held.order !== order)) setHeld(undefined);

  useEffect(() => {
    if (!isArriving) return;
    const subscription = new AbortController();
    for (const sign of signsOfWork) {
      section.current?.addEventListener(sign, () => setTouched(true), { signal: subscription.signal, passive: true });
    }
    return () => subscription.abort();
  }, [isArriving, section]);

  return {
    settledCount: held?.count ?? count,
    isHeld: held !== undefined && held.count < count,
    release: () => setHeld(undefined),
  };
};
