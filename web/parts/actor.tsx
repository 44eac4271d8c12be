import { authorOf } from "./author.ts";
import { PersonName } from "./person-name.tsx";

/**
 * Who did something, in short: a user of this interface, an invocation of the admin function, by the name that the invoker gave,
 * or a client, with its own token. A tooltip says more.
 *
 * @param name as the service records it
 */
export const Actor = ({ name }: { name: string }) => {
  const author = authorOf(name);
  switch (author.type) {
    case "user":
      return <PersonName name={author.name} />;
    case "client":
      return <span title={`From ${author.ip}, with the token ${author.tokenId}`}>Client itself</span>;
    case "invocation":
      return <span title={`Request id ${author.requestId}`}>{invokerOf(author.name)}</span>;
  }
};

const invokerOf = (name: string | undefined) =>
  name === undefined ? (
    "Invocation"
  ) : (
    <>
      <PersonName name={name} />, by invocation
    </>
  );
