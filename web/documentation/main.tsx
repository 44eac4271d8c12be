import { hydrateRoot } from "react-dom/client";
import { App } from "./shell/app.tsx";
import type { Site } from "./site.ts";

/** Hydrates a page that the server has rendered. */
export const start = (site: Site): void => {
  const root = document.getElementById("documentation");
  if (!root) throw new Error("The page has no element documentation.");
  hydrateRoot(root, <App site={site} path={location.pathname} address={root.dataset.address ?? location.origin} />);
};
