import { type FormEvent, useState } from "react";
import { useOnce } from "../../parts/use-once.ts";
import type { Operation, RequestField } from "../description.ts";
import { FieldHead } from "../parts/field.tsx";
import { Method } from "../parts/http.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { CredentialField, useReader } from "../parts/reader.tsx";
import { Samples } from "../parts/samples.tsx";
import { languageIds } from "../samples/languages.ts";
import { callOf, exampleValues, fieldKey, sampleOf } from "../samples/sample-of.ts";
import { OutcomeView, type ShownResponse, send } from "./outcome-view.tsx";
import { Responses } from "./responses.tsx";

/** Whether a successful call returns the text of a new token. */
const issuesToken = ({ responses }: Operation): boolean =>
  responses.some(({ status, fields }) => status === 201 && fields.some(({ name }) => name === "token"));

/** An operation: what it does, a form to try it, and the code for the call that the form describes. */
export const OperationView = ({ operation }: { operation: Operation }) => {
  const reader = useReader();
  const [values, setValues] = useState(() => exampleValues(operation));
  const call = callOf(operation, values);

  const sending = useOnce<void, ShownResponse>(() => send(call, reader[operation.credential]), { isRepeatable: true });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    sending.run();
  };

  return (
    <div className="operation">
      <header className="summary">
        <h1 tabIndex={-1}>{operation.summary}</h1>
        <p className="path">
          <Method method={operation.method} /> <code>{operation.path}</code>
        </p>
        {operation.deprecation && (
          <div className="deprecated">
            <Markdown text={operation.deprecation} />
          </div>
        )}
        <Markdown text={operation.description} />
      </header>
      <form className="request" onSubmit={submit}>
        <div className="entries">
          <CredentialField credential={operation.credential} />
          <RequestFields
            fields={operation.fields}
            enteredIn={(field) => values[fieldKey(field)] ?? ""}
            onChange={(field, value) => setValues({ ...values, [fieldKey(field)]: value })}
          />
        </div>
        <div className="example">
          <Samples samples={languageIds.map((language) => ({ language, code: sampleOf(call, language) }))} />
          {issuesToken(operation) && (
            <p className="hint">
              The response can contain a new token, which is a secret. Send this call only where nobody else sees your
              screen.
            </p>
          )}
          <button type="submit" className="send" disabled={sending.isLocked}>
            Send this call
          </button>
          <OutcomeView sending={sending} />
        </div>
      </form>
      <Responses responses={operation.responses} />
    </div>
  );
};

interface RequestFieldsProps {
  fields: readonly RequestField[];
  enteredIn(field: RequestField): string;
  onChange(field: RequestField, value: string): void;
}

const groups = { path: "In the path", query: "In the query", header: "In the headers", form: "In the form" } as const;

/** The fields of a request by where they are sent, each with its limits and a control to enter it. */
const RequestFields = ({ fields, enteredIn, onChange }: RequestFieldsProps) =>
  [...Map.groupBy(fields, (field) => field.in)].map(([place, group]) => (
    <section key={place}>
      <h2>{groups[place]}</h2>
      {group.map((field) => {
        const id = `${place}-${field.name}`;
        return (
          <div key={id} className="field">
            <FieldHead field={field} labelFor={id} markRequired />
            <input
              id={id}
              aria-describedby={`${id}-about`}
              autoComplete="off"
              spellCheck={false}
              placeholder={field.required ? "" : "not sent"}
              value={enteredIn(field)}
              onChange={({ target }) => onChange(field, target.value)}
            />
          </div>
        );
      })}
    </section>
  ));
