import { I18nProvider } from "@cloudscape-design/components/i18n";
import messages from "@cloudscape-design/components/i18n/messages/all.en";
import { useState } from "react";
import type { LoginProblem, Start } from "../session/start-session.ts";
import { ProblemPage } from "./problem-page.tsx";
import { SignedIn } from "./signed-in.tsx";

type SignedInStart = Extract<Start, { outcome: "signed-in" }>;

/** The whole interface: the pages of a signed-in user, or the reason why nobody is signed in. */
export const App = ({ start }: { start: SignedInStart | { outcome: "failed"; problem: LoginProblem } }) => {
  const [problem, setProblem] = useState(start.outcome === "failed" ? start.problem : undefined);
  return (
    <I18nProvider locale="en" messages={[messages]}>
      {start.outcome === "signed-in" && !problem ? (
        <SignedIn start={start} onProblem={setProblem} />
      ) : (
        problem && <ProblemPage problem={problem} />
      )}
    </I18nProvider>
  );
};
