import { documentationFragment } from "../../../lambdas/addresses.ts";
import type { Response } from "../description.ts";
import { FieldHead } from "../parts/field.tsx";
import { statusText } from "../parts/http.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Code } from "../parts/samples.tsx";

/** The responses that a call can get. The usual one is open. */
export const Responses = ({ responses }: { responses: readonly Response[] }) => {
  // A call that can return 200 or 201 usually returns 201; one that returns 202 does so in the end, too.
  const usual = Math.max(...responses.map(({ status }) => status).filter((status) => status < 300 && status !== 202));
  return (
    <section className="responses">
      <h2>Responses</h2>
      {responses.map((response) => (
        <details key={response.status} open={response.status === usual}>
          <summary>
            <span className={response.status < 400 ? "status" : "status failed"}>{statusText(response.status)}</span>
          </summary>
          <ResponseView response={response} />
        </details>
      ))}
    </section>
  );
};

const ResponseView = ({
  response: { status, description, headers, fields, isArray, examples },
}: {
  response: Response;
}) => (
  <div className="response">
    <div>
      <Markdown text={description} />
      {status < 300 && fields.length > 0 && (
        <>
          {isArray && <p>An array of objects:</p>}
          {fields.map((field) => (
            <div key={field.name} className="field">
              <FieldHead field={field} />
            </div>
          ))}
        </>
      )}
      <details>
        <summary>Headers</summary>
        {headers.map(({ name, description: meaning }) => (
          <div key={name} className="field">
            <p className="field-name">
              <code>{name}</code>
            </p>
            <Markdown text={meaning} />
          </div>
        ))}
      </details>
    </div>
    <div className="example">
      {examples.map(([name, body]) => (
        <figure key={name} className="samples">
          {name && (
            <figcaption className="samples-bar">
              {status === 422 ? name : <a href={documentationFragment("guide", "errors", name)}>{name}</a>}
            </figcaption>
          )}
          <Code code={JSON.stringify(body, null, 2)} language="json" />
        </figure>
      ))}
    </div>
  </div>
);
