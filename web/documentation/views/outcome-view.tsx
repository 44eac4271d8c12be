import type { Once } from "../../parts/use-once.ts";
import { statusText } from "../parts/http.tsx";
import { useReader } from "../parts/reader.tsx";
import { Code } from "../parts/samples.tsx";
import type { Call } from "../samples/sample-of.ts";

/** What became of a call. */
export const OutcomeView = ({
  sending: { isRunning, result, failure },
}: {
  sending: Once<never, ShownResponse, Error>;
}) => (
  <div className="outcome" aria-live="polite">
    {isRunning && <p>Waiting for the response…</p>}
    {failure && <p className="failed">There was no response: {failure.message}</p>}
    {result && <ResponseView response={result} />}
  </div>
);

/** A list can have megabytes, which no browser lays out in reasonable time. */
const shownCharacters = 20_000;

const ResponseView = ({ response: { status, milliseconds, headers, body } }: { response: ShownResponse }) => (
  <>
    <p className={status < 400 ? "status" : "status failed"}>
      {statusText(status)} <span className="quiet">{milliseconds} ms</span>
    </p>
    {status === 202 && (
      <p className="advice">
        Nothing has changed yet. Tell an admin the code; once it is confirmed, send this call again.
      </p>
    )}
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

/** What to do with a new token in a response. */
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

/** A response as the page shows it. */
export interface ShownResponse {
  status: number;
  milliseconds: number;
  headers: [name: string, value: string][];
  body: string;
}

/** @throws {TypeError} if there is no response. */
export const send = async ({ method, path, headers, form }: Call, credential: string): Promise<ShownResponse> => {
  const start = performance.now();
  const response = await fetch(path, {
    method,
    headers: {
      Accept: "application/json",
      // If anything on the way changes the path, the service refuses the call.
      "X-Sent-Path": path.split("?")[0] ?? path,
      ...(credential && { "X-Token": credential }),
      ...Object.fromEntries(headers),
    },
    ...(form.length > 0 && { body: new URLSearchParams(form.map(([name, value]) => [name, value])) }),
    // A response can hold a v_code or a token, which the browser must not store.
    cache: "no-store",
    redirect: "error",
  });
  const text = await response.text();
  return {
    status: response.status,
    milliseconds: Math.round(performance.now() - start),
    headers: [...response.headers],
    body: readable(text, response.headers.get("Content-Type") ?? ""),
  };
};

const readable = (text: string, contentType: string): string =>
  contentType.startsWith("application/json") ? JSON.stringify(JSON.parse(text), null, 2) : text;
