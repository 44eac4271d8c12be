import { useEffect, useRef } from "react";
import { pageOf } from "./routes.ts";

/** The id of the element that contains the page, where keyboard navigation starts. */
export const contentId = "content";

const focusContent = (): void => document.getElementById(contentId)?.focus({ preventScroll: true });

/** Focuses the page after navigation, because the link that led there is gone. */
export const useFocusOnPage = (address: string): void => {
  const page = pageOf(address);
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    focusContent();
  }, [page]);
};

/** Focuses the page when a dialog closes whose button is gone. Otherwise the button gets the focus back automatically. */
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
