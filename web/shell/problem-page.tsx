import Alert from "@cloudscape-design/components/alert";
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import { forgetSession } from "../session/session.ts";
import type { LoginProblem } from "../session/start-session.ts";

/** Replaces every page when the user could not be signed in. */
export const ProblemPage = ({ problem: { title, explanation, detail } }: { problem: LoginProblem }) => (
  <main className="problem-page">
    <title>{`${title} – Integration API`}</title>
    <Box variant="h1" padding={{ bottom: "l" }}>
      Integration API
    </Box>
    <Alert
      type={detail === undefined ? "info" : "error"}
      header={title}
      action={
        <Button variant="primary" onClick={startAgain}>
          {detail === undefined ? "Sign in" : "Try again"}
        </Button>
      }
    >
      {explanation}
      {detail !== undefined && (
        <Box color="text-body-secondary" fontSize="body-s" padding={{ top: "xs" }}>
          {detail}
        </Box>
      )}
    </Alert>
  </main>
);

const startAgain = () => {
  forgetSession();
  location.reload();
};
