import { Address } from "./address.tsx";
import { PageLink } from "./page-link.tsx";
import { addresses } from "./routes.ts";
import { VisibleText } from "./visible-text.tsx";

const invocation = /^invoke:([^:]+)(?::(.*))?$/s;
const client = /^token:([^:]+):(.+)$/;

interface ActorProps {
  /** As the service records it. */
  name: string;
  /**
   * Whether to show the whole request id of an invocation, as in the log and CloudTrail, or the address of a client.
   * Otherwise they are in a tooltip.
   */
  isDetailed?: boolean;
  /** The token on whose page the name is shown, which therefore needs no link. */
  pageOf?: string;
}

/**
 * Who did something: a user of this interface, an invocation of the admin function, by the name that the invoker gave, or a
 * client, with its own token.
 */
export const Actor = ({ name, isDetailed = false, pageOf }: ActorProps) => {
  const [, requestId, person] = invocation.exec(name) ?? [];
  const [, tokenId, ip] = client.exec(name) ?? [];
  if (tokenId !== undefined && ip !== undefined)
    return <Client {...{ tokenId, ip, isDetailed }} isLinked={tokenId !== pageOf} />;
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

interface ClientProps {
  tokenId: string;
  ip: string;
  isDetailed: boolean;
  isLinked: boolean;
}

const Client = ({ tokenId, ip, isDetailed, isLinked }: ClientProps) => {
  if (!isDetailed) return <span title={`From ${ip}, with the token ${tokenId}`}>Client itself</span>;
  return (
    <>
      {isLinked ? <PageLink href={addresses.token(tokenId)}>the client itself</PageLink> : "the client itself"}, from{" "}
      <Address ip={ip} />
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
