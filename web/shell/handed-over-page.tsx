import Alert from "@cloudscape-design/components/alert";
import Box from "@cloudscape-design/components/box";
import Link from "@cloudscape-design/components/link";
import { addresses } from "../../lambdas/addresses.ts";

/** Stays in a window that was opened to sign in if the browser does not let it close itself, or if no page waits for it. */
export const HandedOverPage = () => (
  <main className="problem-page">
    <title>Signed in – Integration API</title>
    <Box variant="h1" padding={{ bottom: "l" }}>
      Integration API
    </Box>
    <Alert type="success" header="You are signed in">
      Close this window and continue on the page that you came from, or <Link href={addresses.tokens}>start here</Link>.
    </Alert>
  </main>
);
