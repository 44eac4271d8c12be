import { applyColourScheme, storedScheme } from "./colour-scheme.ts";

// Runs before anything is shown, so that the wrong colours never appear.
applyColourScheme(storedScheme());
