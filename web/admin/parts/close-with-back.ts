import { useEffect, useEffectEvent } from "react";

/*
 * Gives each open dialog its own entry in the browser's history, with the same address as the page below it. Back, which on phones
 * is the gesture for closing things, then calls the dialog's `close` instead of leaving the page. Scripts can't remove a history
 * entry, so the entry of a closed dialog is reused for the next dialog, and Back skips it.
 */

/** What a history entry belongs to: a dialog, or the page right below one. */
type Kind = "dialog" | "page";

const stateOf = (kind: Kind) => ({ kind });

const kindOf = (state: unknown): unknown =>
  typeof state === "object" && state !== null && "kind" in state ? state.kind : undefined;

/** The `close` functions of the open dialogs. The last one is on top. */
const closers: (() => void)[] = [];
/** The address of the page below the open dialog. */
let address = "";
/** The kind of entry that the last history step led to. */
let lastKind = kindOf(history.state);

/**
 * Calls `close` when the user goes back while the component is shown. The page always stays, and so does the component unless
 * `close` removes it.
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
    // The router must see only the page's own address. The entry below the dialog may have a different one, because browsers skip
    // entries on their own.
    event.stopImmediatePropagation();
    enter();
    closers.at(-1)?.();
    return;
  }
  const isStepOutOfDialog = lastKind === "dialog" && kindOf(event.state) === "page";
  lastKind = kindOf(event.state);
  if (isStepOutOfDialog) history.back();
};

// Capturing makes this listener run before the router's.
addEventListener("popstate", onPopState, { capture: true });
