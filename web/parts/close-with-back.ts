import { useEffect, useEffectEvent } from "react";

/*
 * An open dialog has an entry of its own in the browser's history, with the address of the page below it. Back, which on a phone
 * is the gesture that closes things, then leads to the dialog's `close` and not away from the page.
 */

/** What the open dialogs do on Back; the last one is on top. */
const closers: (() => void)[] = [];
/** `leaving` while the browser goes back from the entry of a dialog that was closed. */
let phase: "none" | "open" | "leaving" = "none";
/** The address of the page below the dialog. */
let address = "";
/** The entry before the dialog's is the one of the page below it. */
let isAbovePage = true;

/**
 * Calls `close` when the user goes back, or forward, while the component is shown. The page stays in any case, and so does the
 * component if `close` does not remove it.
 */
export const useCloseWithBack = (close: () => void): void => {
  const onTraversal = useEffectEvent(close);
  useEffect(() => {
    const closer = () => onTraversal();
    closers.push(closer);
    if (phase === "none") enter();
    return () => {
      closers.splice(closers.indexOf(closer), 1);
      // Not at once: another dialog may take its place.
      setTimeout(leave);
    };
  }, []);
};

const enter = (): void => {
  phase = "open";
  address = location.href;
  isAbovePage = true;
  history.pushState(dialogState, "", address);
  addEventListener("popstate", onPopState, { capture: true });
};

const leave = (): void => {
  if (phase !== "open" || closers.length > 0) return;
  // Closing may have led to another page, and its entry stays.
  if (isDialogState(history.state) && isAbovePage) {
    phase = "leaving";
    history.back();
  } else {
    finish();
  }
};

const finish = (): void => {
  phase = "none";
  removeEventListener("popstate", onPopState, { capture: true });
  if (closers.length > 0) enter();
};

/** Runs before the router's listener, so that the router never sees another address than that of the page. */
const onPopState = (event: PopStateEvent): void => {
  if (phase === "leaving") {
    if (isDialogState(event.state)) {
      // A link was followed in the meantime, so the step back led from that page to the dialog's entry.
      event.stopImmediatePropagation();
      history.forward();
    }
    finish();
    return;
  }
  event.stopImmediatePropagation();
  isAbovePage = location.href === address;
  history.pushState(dialogState, "", address);
  closers.at(-1)?.();
};

const dialogState = { isDialog: true };

const isDialogState = (state: unknown): boolean => typeof state === "object" && state !== null && "isDialog" in state;
