import { applyMode, Mode } from "@cloudscape-design/global-styles";
import { useEffect, useState } from "react";

export const colourSchemes = ["system", "light", "dark"] as const;

/** Light, dark, or whichever of them the system has. */
export type ColourScheme = (typeof colourSchemes)[number];

const storedAs = "colour-scheme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

const storedScheme = (): ColourScheme =>
  colourSchemes.find((scheme) => scheme === localStorage.getItem(storedAs)) ?? "system";

const apply = (scheme: ColourScheme): void => {
  const isDark = scheme === "dark" || (scheme === "system" && systemIsDark.matches);
  applyMode(isDark ? Mode.Dark : Mode.Light, document.documentElement);
  applyMode(isDark ? Mode.Dark : Mode.Light);
};

/** The colours of the page, as the user chose them in this browser. */
export const useColourScheme = (): [ColourScheme, (scheme: ColourScheme) => void] => {
  const [scheme, setScheme] = useState(storedScheme);

  useEffect(() => {
    const follow = () => apply(scheme);
    follow();
    systemIsDark.addEventListener("change", follow);
    return () => systemIsDark.removeEventListener("change", follow);
  }, [scheme]);

  const choose = (chosen: ColourScheme) => {
    localStorage.setItem(storedAs, chosen);
    setScheme(chosen);
  };
  return [scheme, choose];
};

/** To be called before anything is shown, so that nobody sees the wrong colours first. */
export const applyStoredColourScheme = (): void => apply(storedScheme());
