export const colourSchemes = ["system", "light", "dark"] as const;

export type ColourScheme = (typeof colourSchemes)[number];

/** The documentation and the web interface use the same key. */
export const storageKey = "colour-scheme";

export const isColourScheme = (text: string | null): text is ColourScheme => colourSchemes.some((one) => one === text);

/** Returns the reader's choice. The browser remembers it unless it blocks cookies. */
export const storedScheme = (): ColourScheme => {
  const stored = navigator.cookieEnabled ? localStorage.getItem(storageKey) : null;
  return isColourScheme(stored) ? stored : "system";
};

export const applyColourScheme = (scheme: ColourScheme): void => {
  document.documentElement.dataset.scheme = scheme;
};
