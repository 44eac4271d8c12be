import "@cloudscape-design/global-styles/index.css";
import "./style.css";
import "./parts/parts.css";
import "./shell/shell.css";
import { createRoot } from "react-dom/client";
import { handOver } from "./session/other-tabs.ts";
import { type Start, startSession } from "./session/start-session.ts";
import { App } from "./shell/app.tsx";
import { applyStoredColourScheme } from "./shell/colour-scheme.ts";

const element = document.getElementById("root");
if (!element) throw new Error("The document has no element #root.");

const root = createRoot(element, {
  // Without this, an error while rendering would leave an empty page.
  onUncaughtError: (error) => {
    console.error(error);
    show({
      outcome: "failed",
      problem: {
        title: "Something went wrong on this page",
        explanation:
          "Your earlier changes were saved. Load the page again; if this keeps happening, contact the operator of the service.",
        detail: String(error),
      },
    });
  },
});

const show = (start: Start): void => {
  // The key replaces the interface instead of updating it, so that no state of the broken one is left.
  if (start.outcome !== "leaving") root.render(<App key={start.outcome} start={start} />);
};

applyStoredColourScheme();
const start = await startSession();
show(start);
if (start.outcome === "signed-in-for-others") handOver(start.session);
