import "@cloudscape-design/global-styles/index.css";
import "./style.css";
import { createRoot } from "react-dom/client";
import { type Start, startSession } from "./session/start-session.ts";
import { App } from "./shell/app.tsx";
import { applyStoredColourScheme } from "./shell/colour-scheme.ts";

const element = document.getElementById("root");
if (!element) throw new Error("The page has no element to show the interface in.");

const root = createRoot(element, {
  // Else a defect would leave an empty page.
  onUncaughtError: (error) => {
    console.error(error);
    show({
      outcome: "failed",
      problem: {
        title: "Something went wrong on this page",
        explanation:
          "What you did before has been done. Load the page again; if this persists, tell whoever runs the service.",
        detail: String(error),
      },
    });
  },
});

const show = (start: Start): void => {
  // The key makes it another interface, which knows nothing of the one before.
  if (start.outcome !== "leaving") root.render(<App key={start.outcome} start={start} />);
};

applyStoredColourScheme();
show(await startSession());
