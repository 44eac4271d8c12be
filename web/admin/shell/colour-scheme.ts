import { applyMode, Mode } from "@cloudscape-design/global-styles";
import { useState } from "react";
import { type ColourScheme, storageKey, storedScheme } from "../../documentation/shell/colour-scheme.ts";

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const isPrinted = matchMedia("print");

/** Print is always light. */
const apply = (scheme: ColourScheme): void => {
  const isDark = !isPrinted.matches && (scheme === "dark" || (scheme === "system" && systemIsDark.matches));
  applyMode(isDark ? Mode.Dark : Mode.Light, document.documentElement);
  applyMode(isDark ? Mode.Dark : Mode.Light);
};

/** Returns the colour scheme that the user chose in this browser, and sets it. */
export const useColourScheme = (): [ColourScheme, (scheme: ColourScheme) => void] => {
  const [scheme, setScheme] = useState(storedScheme);
  const choose = (chosen: ColourScheme) => {
    localStorage.setItem(storageKey, chosen);
    setScheme(chosen);
    apply(chosen);
  };
  return [scheme, choose];
};

/** Applies the colour scheme to every page. Call it before anything is shown, so that the wrong colours never appear. */
export const followColourScheme = (): void => {
  const follow = () => apply(storedScheme());
  follow();
  for (const query of [systemIsDark, isPrinted]) query.addEventListener("change", follow);
};
