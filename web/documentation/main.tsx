import { hydrateRoot } from "react-dom/client";
import { App } from "./shell/app.tsx";
import { addressOfFragment } from "./shell/old-fragments.ts";
import type { Site } from "./site.ts";

/** Brings a page to life that the server has sent complete. */
export const start = (site: Site): void => {
  const root = document.getElementById("documentation");
  if (!root) throw new Error("The page has no element documentation.");
  const moved = addressOfFragment(location.hash, site.pages);
  if (moved) location.replace(moved);
  else
    hydrateRoot(root, <App site={site} path={location.pathname} address={root.dataset.address ?? location.origin} />);
};
