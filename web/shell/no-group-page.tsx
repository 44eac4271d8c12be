import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import { useApp } from "./app-context.ts";

/** For a user who may do nothing here: whom to ask, and the way out. */
export const NoGroupPage = () => {
  const { session, signOut } = useApp();
  return (
    <Alert type="info" header="Your account has no access yet" action={<Button onClick={signOut}>Sign out</Button>}>
      Ask whoever runs this service to add <strong>{session.username}</strong> to the group Admin, then sign in again.
    </Alert>
  );
};
