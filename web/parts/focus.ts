import { useEffect, useRef } from "react";

/** The element that contains the page, where the keyboard starts. */
export const contentId = "content";

const focusContent = (): void => document.getElementById(contentId)?.focus({ preventScroll: true });

/** Focuses the page when another one is shown, because the link that led there is gone. */
export const useFocusOnPage = (address: string): void => {
  const shown = useRef(address);
  useEffect(() => {
    if (shown.current === address) return;
    shown.current = address;
    focusContent();
  }, [address]);
};

/** Focuses the page when a dialog closes whose button is gone. Otherwise the button gets the focus back by itself. */
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
