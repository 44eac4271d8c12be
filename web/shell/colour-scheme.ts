import { applyMode, Mode } from "@cloudscape-design/global-styles";
import { useEffect, useState } from "react";

export const colourSchemes = ["system", "light", "dark"] as const;

export type ColourScheme = (typeof colourSchemes)[number];

const storageKey = "colour-scheme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const isPrinted = matchMedia("print");

const storedScheme = (): ColourScheme =>
  colourSchemes.find((scheme) => scheme === localStorage.getItem(storageKey)) ?? "system";

/** Paper is always light. */
const apply = (scheme: ColourScheme): void => {
  const isDark = !isPrinted.matches && (scheme === "dark" || (scheme === "system" && systemIsDark.matches));
  applyMode(isDark ? Mode.Dark : Mode.Light, document.documentElement);
  applyMode(isDark ? Mode.Dark : Mode.Light);
};

/** The colour scheme that the user chose in this browser. */
export const useColourScheme = (): [ColourScheme, (scheme: ColourScheme) => void] => {
  const [scheme, setScheme] = useState(storedScheme);

  useEffect(() => {
    const follow = () => apply(scheme);
    follow();
    const subscription = new AbortController();
    for (const query of [systemIsDark, isPrinted]) query.addEventListener("change", follow, subscription);
    return () => subscription.abort();
  }, [scheme]);

  const choose = (chosen: ColourScheme) => {
    localStorage.setItem(storageKey, chosen);
    setScheme(chosen);
  };
  return [scheme, choose];
};

/** Call this before anything is shown, so that the wrong colours never appear. */
export const applyStoredColourScheme = (): void => apply(storedScheme());
