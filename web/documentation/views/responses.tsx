import type { Response } from "../description.ts";
import { FieldHead } from "../parts/field.tsx";
import { ErrorLink, Heading, Html, statusText } from "../parts/html.tsx";
import { Code } from "../parts/samples.tsx";

/** Shows the responses that a call can get. The usual response is first and open. */
export const Responses = ({ responses }: { responses: readonly Response[] }) => {
  // A call that can return 200 or 201 usually returns 201. A call that can return 202 eventually returns 200 or 201 too.
  const usual = Math.max(...responses.map(({ status }) => status).filter((status) => status < 300 && status !== 202));
  return (
    <section className="responses">
      <Heading id="responses" title="Responses" />
      {responses
        .filter(({ isCommon }) => !isCommon)
        .toSorted((a, b) => Number(b.status === usual) - Number(a.status === usual))
        .map((response) => (
          <details key={response.status} open={response.status === usual}>
            <summary>
              <span className={response.status < 400 ? "status" : "status failed"}>{statusText(response.status)}</span>
            </summary>
            <ResponseView response={response} />
          </details>
        ))}
      <CommonErrors responses={responses.filter(({ isCommon }) => isCommon)} />
    </section>
  );
};

/** Links to the errors that every call can get, which are explained in one place. */
const CommonErrors = ({ responses }: { responses: readonly Response[] }) => (
  <details>
    <summary>
      <strong>Common errors</strong> <span className="quiet">{responses.map(({ status }) => status).join(", ")}</span>
    </summary>
    <dl className="prose">
      {responses.map(({ status, description, examples }) => (
        <div key={status} className="field">
          <dt>{statusText(status)}</dt>
          <dd className="row">
            {examples.length === 0 && <Html html={description} />}
            {examples.map(([code]) => (
              <ErrorLink key={code} code={code} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </details>
);

const ResponseView = ({
  response: { status, description, headers, fields, isArray, examples },
}: {
  response: Response;
}) => (
  <div className="beside">
    <div>
      <Html html={description} />
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
            <Html html={meaning} />
          </div>
        ))}
      </details>
    </div>
    <div className="example">
      {examples.map(([name, body]) => (
        <figure key={name} className="samples">
          {name && <figcaption className="samples-bar">{status === 422 ? name : <ErrorLink code={name} />}</figcaption>}
          <Code code={JSON.stringify(body, null, 2)} language="json" />
        </figure>
      ))}
    </div>
  </div>
);
