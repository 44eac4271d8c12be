import "@cloudscape-design/global-styles/index.css";
import "./style.css";
import { createRoot } from "react-dom/client";
import { startSession } from "./session/start-session.ts";
import { App } from "./shell/app.tsx";
import { applyStoredColourScheme } from "./shell/colour-scheme.ts";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element to show the interface in.");

applyStoredColourScheme();
const start = await startSession();
if (start.outcome !== "leaving") createRoot(root).render(<App start={start} />);
