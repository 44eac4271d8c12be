import { I18nProvider } from "@cloudscape-design/components/i18n";
import messages from "@cloudscape-design/components/i18n/messages/all.en";
import { useState } from "react";
import type { LoginProblem, Start } from "../session/start-session.ts";
import { HandedOverPage, ProblemPage } from "./message-pages.tsx";
import { SignedIn } from "./signed-in.tsx";

/** The whole interface: the pages of a signed-in user, or the reason why there are none. */
export const App = ({ start }: { start: Exclude<Start, { outcome: "leaving" }> }) => (
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
