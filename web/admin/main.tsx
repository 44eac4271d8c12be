import "@cloudscape-design/global-styles/index.css";
import "./style.css";
import "./parts/parts.css";
import "./shell/shell.css";
import { I18nProvider } from "@cloudscape-design/components/i18n";
import messages from "@cloudscape-design/components/i18n/messages/all.en";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { handOver } from "./session/other-tabs.ts";
import { type LoginProblem, type Start, startSession } from "./session/start-session.ts";
import { followColourScheme } from "./shell/colour-scheme.ts";
import { HandedOverPage, ProblemPage } from "./shell/message-pages.tsx";
import { SignedIn } from "./shell/signed-in.tsx";

/** Shows the pages of a signed-in user, or the reason why the user isn't signed in. */
const App = ({ start }: { start: Exclude<Start, { outcome: "leaving" }> }) => (
  <I18nProvider locale="en" messages={[messages]}>
    <Started start={start} />
  </I18nProvider>
);

const Started = ({ start }: { start: Exclude<Start, { outcome: "leaving" }> }) => {
  const [problem, setProblem] = useState<LoginProblem>();
  if (problem) return <ProblemPage problem={problem} />;
  if (start.outcome === "failed") return <ProblemPage problem={start.problem} />;
  if (start.outcome === "signed-in-for-others") return <HandedOverPage />;
  return <SignedIn start={start} onProblem={setProblem} />;
};

const element = document.getElementById("root");
if (!element) throw new Error("The document has no element #root.");

const root = createRoot(element, {
  // Without this handler, a rendering error would leave an empty page.
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
  // The key replaces the interface instead of updating it, so that no broken state remains.
  if (start.outcome !== "leaving") root.render(<App key={start.outcome} start={start} />);
};

followColourScheme();
const start = await startSession();
show(start);
if (start.outcome === "signed-in-for-others") handOver(start.session);
