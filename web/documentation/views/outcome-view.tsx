import type { Once } from "../../admin/parts/use-once.ts";
import { ErrorLink, statusText } from "../parts/html.tsx";
import { useReader } from "../parts/reader.tsx";
import { Code } from "../parts/samples.tsx";
import { objectIn, type ShownResponse } from "../samples/send.ts";

/** Shows the outcome of a call. */
export const OutcomeView = ({
  sending: { isRunning, result, failure },
}: {
  sending: Once<void, ShownResponse, Error>;
}) => (
  <div className="outcome" aria-live="polite">
    {isRunning && <p>Waiting for the response…</p>}
    {failure && <NoResponse />}
    {result && <ResponseView response={result} />}
  </div>
);

export const NoResponse = () => (
  <p className="failed">
    There was no response. Check that you are online, then send the call again: it is safe to send it twice.
  </p>
);

/** A list can be several megabytes, which takes a browser too long to lay out. */
const shownCharacters = 20_000;

const ResponseView = ({ response }: { response: ShownResponse }) => {
  const { status, milliseconds, headers, body } = response;
  return (
    <>
      <p className={status < 400 ? "status" : "status failed"}>
        {statusText(status)} <span className="quiet">{milliseconds} ms</span>
      </p>
      {status === 202 && (
        <p className="advice">
          Nothing has changed yet. Tell an admin the code; once it is confirmed, send this call again.
        </p>
      )}
      <Refusal response={response} />
      <NewToken body={body} />
      {body && <Code code={body.slice(0, shownCharacters)} language="json" />}
      {body.length > shownCharacters && (
        <p className="hint">
          The first {shownCharacters.toLocaleString("en")} of {body.length.toLocaleString("en")} characters.
        </p>
      )}
      <details>
        <summary>Headers</summary>
        <Code code={headers.map(([name, value]) => `${name}: ${value}`).join("\n")} language="json" />
      </details>
    </>
  );
};

/** Shows the service's error. */
export const Refusal = ({ response }: { response: ShownResponse }) => {
  if (response.status < 400) return null;
  if (response.status === 422) return <p className="advice">Correct the marked fields, then send the call again.</p>;
  // API Gateway's own errors contain only a message.
  const { code, message = "The service, or something in front of it, has refused this call." } = objectIn(
    response.body,
  );
  return (
    <p className="advice">
      {message} {code && <ErrorLink code={code} />}
    </p>
  );
};

/** Says what to do with the new token in a response. */
const NewToken = ({ body }: { body: string }) => {
  const { token, setCredential } = useReader();
  const [, text] = /"token": "(itk_\w+)"/.exec(body) ?? [];
  if (text === undefined) return null;
  return (
    <p className="advice">
      The new token is a secret: whoever has it can use it from its address. Copy it to where your client keeps it,
      because this page forgets it.{" "}
      <button type="button" disabled={token === text} onClick={() => setCredential("token", text)}>
        {token === text ? "Used on this page" : "Use it on this page"}
      </button>
    </p>
  );
};
