import { VisibleText } from "./visible-text.tsx";

const invocation = /^invoke:([^:]+)(?::(.*))?$/s;

interface ActorProps {
  /** As the service records it. */
  name: string;
  /** Shows the whole request id of an invocation, by which the log and CloudTrail name it; otherwise a tooltip has it. */
  isDetailed?: boolean;
}

/** Who did something: a user of this interface, or an invocation of the admin function, by the name that the invoker gave. */
export const Actor = ({ name, isDetailed = false }: ActorProps) => {
  const [, requestId, person] = invocation.exec(name) ?? [];
  if (requestId === undefined) return <Name text={name} />;
  const invoker = person && (
    <>
      <Name text={person} />, by invocation
    </>
  );
  if (!isDetailed) return <span title={`Request id ${requestId}`}>{invoker || "Invocation"}</span>;
  return (
    <>
      {invoker || "invocation"}{" "}
      <span className="remark">
        (request id <code className="address breakable">{requestId}</code>)
      </span>
    </>
  );
};

/** A name that is a plain e-mail address breaks after the @ before it breaks within a word. */
const Name = ({ text }: { text: string }) => {
  const [, user, host] = /^([\w.+-]+@)([\w.-]+)$/.exec(text) ?? [];
  return (
    <span className="breakable">
      {user === undefined ? (
        <VisibleText text={text} />
      ) : (
        <>
          {user}
          <wbr />
          {host}
        </>
      )}
    </span>
  );
};
