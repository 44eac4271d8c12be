import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useApp } from "../parts/app-context.ts";

/** For a user who is in neither group: says whom to ask, and offers to sign out. */
export const NoGroupPage = () => {
  const { session, signOut } = useApp();
  return (
    <SpaceBetween size="l">
      <title>No access yet – Integration API</title>
      <Header variant="h1">No access yet</Header>
      <Alert type="info" action={<Button onClick={signOut}>Sign out</Button>}>
        Ask the operator of this service to add <strong>{session.username}</strong> to the group Admin, then sign in
        again.
      </Alert>
    </SpaceBetween>
  );
};
