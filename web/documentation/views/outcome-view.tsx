import type { ReactNode } from "react";
import type { Once } from "../../admin/parts/use-once.ts";
import { ErrorLink, statusText } from "../parts/html.tsx";
import { useReader } from "../parts/reader.tsx";
import { Code } from "../parts/samples.tsx";
import { membersIn, redirected, type ShownResponse } from "../samples/send.ts";

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
  <div className="result rejected">
    <p className="status failed">No response</p>
    <p>Check that you are online, then send the call again: it is safe to send it twice.</p>
  </div>
);

interface ResultProps {
  response: ShownResponse;
  /** Shown after a success. */
  children?: ReactNode;
}

/** Says whether a call has succeeded, and what to do if not. */
export const Result = ({ response: { status, milliseconds, body }, children }: ResultProps) => {
  const time = <span className="quiet">{milliseconds} ms</span>;
  if (status === 202) {
    return (
      <div className="result">
        <p className="status deprecated">
          Not yet: {statusText(status)} {time}
        </p>
        <p>Nothing has changed yet. Tell an admin the code; once it is confirmed, send this call again.</p>
      </div>
    );
  }
  if (status === redirected) {
    return (
      <div className="result succeeded">
        <p className="status">Success: a redirect {time}</p>
        <p>Browsers hide its address from pages. To see the header Location, run the curl sample with the option -i.</p>
      </div>
    );
  }
  if (status < 400) {
    return (
      <div className="result succeeded">
        <p className="status">
          Success: {statusText(status)} {time}
        </p>
        {children}
      </div>
    );
  }
  return (
    <div className="result rejected">
      <p className="status failed">
        Rejected: {statusText(status)} {time}
      </p>
      <Reason status={status} body={body} />
    </div>
  );
};

/** A list can be several megabytes, which takes a browser too long to lay out. */
const shownCharacters = 20_000;

const ResponseView = ({ response }: { response: ShownResponse }) => {
  const { headers, body } = response;
  return (
    <>
      <Result response={response} />
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

/** Explains the service's error. */
const Reason = ({ status, body }: Pick<ShownResponse, "status" | "body">) => {
  if (status === 422) return <p>Correct the marked fields, then send the call again.</p>;
  // API Gateway's own errors contain only a message.
  const { code, message = "The service, or something in front of it, has rejected this call." } = membersIn(body);
  return (
    <p>
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
    <p className="result">
      The new token is a secret: anyone who has it can use it from its address. Copy it to where your client keeps it,
      because this page does not.{" "}
      <button type="button" disabled={token === text} onClick={() => setCredential("token", text)}>
        {token === text ? "Used on this page" : "Use it on this page"}
      </button>
    </p>
  );
};
