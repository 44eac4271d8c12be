import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useApp } from "./app-context.ts";

/** For a user who may do nothing here: whom to ask, and the way out. */
export const NoGroupPage = () => {
  const { session, signOut } = useApp();
  return (
    <SpaceBetween size="l">
      <Header variant="h1">No access yet</Header>
      <Alert type="info" action={<Button onClick={signOut}>Sign out</Button>}>
        Ask whoever runs this service to add <strong>{session.username}</strong> to the group Admin, then sign in again.
      </Alert>
    </SpaceBetween>
  );
};
