import { useEffect, useRef } from "react";

/** What every page is shown in, so that the keyboard goes on from its beginning. */
export const contentId = "content";

const focusContent = (): void => document.getElementById(contentId)?.focus({ preventScroll: true });

/** Sets the focus on the page when another one is shown: the link that led there is gone. */
export const useFocusOnPage = (address: string): void => {
  const shown = useRef(address);
  useEffect(() => {
    if (shown.current === address) return;
    shown.current = address;
    focusContent();
  }, [address]);
};

/** When a dialog closes whose button is gone from the page, sets the focus on the page. Else the button gets it back. */
export const useFocusAfterwards = (): void => {
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) focusContent();
      });
    },
    [],
  );
};
