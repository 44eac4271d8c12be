import { useEffect, useEffectEvent } from "react";

/*
 * An open dialog has an entry of its own in the browser's history, with the address of the page below it. Back, which on a phone
 * is the gesture that closes things, then leads to the dialog's `close` and not away from the page. A script cannot remove an
 * entry, so that of a closed dialog serves the next one, and Back passes over it.
 */

/** What an entry is: that of a dialog, or that of the page right below one. */
type Kind = "dialog" | "page";

const stateOf = (kind: Kind) => ({ kind });

const kindOf = (state: unknown): unknown =>
  typeof state === "object" && state !== null && "kind" in state ? state.kind : undefined;

/** What the open dialogs do on Back; the last one is on top. */
const closers: (() => void)[] = [];
/** The address of the page below the open dialog. */
let address = "";
/** Where the last step through the history led. */
let lastKind = kindOf(history.state);

/**
 * Calls `close` when the user goes back while the component is shown. The page stays in any case, and so does the component if
 * `close` does not remove it.
 */
export const useCloseWithBack = (close: () => void): void => {
  const onBack = useEffectEvent(close);
  useEffect(() => {
    const closer = () => onBack();
    if (closers.length === 0) address = location.href;
    closers.push(closer);
    enter();
    return () => {
      closers.splice(closers.indexOf(closer), 1);
    };
  }, []);
};

const enter = (): void => {
  lastKind = "dialog";
  if (kindOf(history.state) === "dialog") return;
  if (location.href === address) history.replaceState(stateOf("page"), "");
  history.pushState(stateOf("dialog"), "", address);
};

const onPopState = (event: PopStateEvent): void => {
  if (closers.length > 0) {
    // The router must not see another address than that of the page, which may not be the one just below the dialog: browsers
    // pass over entries themselves.
    event.stopImmediatePropagation();
    enter();
    closers.at(-1)?.();
    return;
  }
  const isStepOutOfDialog = lastKind === "dialog" && kindOf(event.state) === "page";
  lastKind = kindOf(event.state);
  if (isStepOutOfDialog) history.back();
};

// Captures the event, to be called before the router.
addEventListener("popstate", onPopState, { capture: true });
