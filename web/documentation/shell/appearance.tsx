import { useEffect, useState } from "react";
import {
  applyColourScheme,
  type ColourScheme,
  colourSchemes,
  isColourScheme,
  storageKey,
  storedScheme,
} from "./colour-scheme.ts";

/** Chooses between light and dark colours. The web interface uses the same setting. */
export const Appearance = () => {
  const [scheme, setScheme] = useState<ColourScheme>("system");
  useEffect(() => setScheme(storedScheme()), []);
  const choose = (chosen: string) => {
    if (!isColourScheme(chosen)) return;
    if (navigator.cookieEnabled) localStorage.setItem(storageKey, chosen);
    setScheme(chosen);
    applyColourScheme(chosen);
  };
  return (
    <label className="appearance row">
      Appearance
      <select value={scheme} onChange={({ target }) => choose(target.value)}>
        {colourSchemes.map((one) => (
          <option key={one} value={one}>
            {one.charAt(0).toUpperCase() + one.slice(1)}
          </option>
        ))}
      </select>
    </label>
  );
};
