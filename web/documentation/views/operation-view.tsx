import { type FormEvent, type RefObject, useRef, useState } from "react";
import { useOnce } from "../../admin/parts/use-once.ts";
import { isJwt, type Operation, type RequestField } from "../description.ts";
import { FieldHead, typeOf } from "../parts/field.tsx";
import { Heading, Html, Method, OnThisPage } from "../parts/html.tsx";
import { CredentialField, useReader } from "../parts/reader.tsx";
import { Samples } from "../parts/samples.tsx";
import { callOf, exampleValues, fieldKey, jsonKey, samplesOf } from "../samples/sample-of.ts";
import { invalidFieldsIn, type ShownResponse, send } from "../samples/send.ts";
import { OutcomeView } from "./outcome-view.tsx";
import { Responses } from "./responses.tsx";

/** Whether a successful call returns a new token. */
const issuesToken = ({ responses }: Operation): boolean =>
  responses.some(({ status, fields }) => status === 201 && fields.some(({ name }) => name === "token"));

/** Whether a successful call can't be undone. A call that issues a token uses up or ends the credential that was sent. */
const isFinal = (operation: Operation): boolean => operation.method === "DELETE" || issuesToken(operation);

/** Shows what an operation does, a form to try it, and code for the call in the form. */
export const OperationView = ({ operation }: { operation: Operation }) => {
  const reader = useReader();
  const dialog = useRef<HTMLDialogElement>(null);
  const [values, setValues] = useState(() => exampleValues(operation));
  const call = callOf(operation, values);

  const sending = useOnce<void, ShownResponse>(() => send(call, reader), { isRepeatable: true });
  const invalid = sending.result ? invalidFieldsIn(sending.result) : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isFinal(operation)) dialog.current?.showModal();
    else sending.run();
  };

  return (
    <div className="operation">
      <header className="prose">
        <h1 tabIndex={-1}>{operation.summary}</h1>
        <p className="path">
          <Method method={operation.method} /> <code>{operation.path}</code>
        </p>
        <OnThisPage headings={headings} />
        {operation.deprecation && <Html className="deprecated" html={operation.deprecation} />}
        <Html html={operation.description} />
      </header>
      <form className="beside" onSubmit={submit}>
        <div className="entries">
          <Heading {...headings[0]} />
          {operation.credential !== "jwt" && <CredentialField credential={operation.credential} />}
          <RequestFields
            fields={operation.fields.filter((field) => field.in !== "json")}
            invalid={invalid}
            enteredIn={(field) => (isJwt(field) ? reader.jwt : (values[fieldKey(field)] ?? ""))}
            onChange={(field, value) =>
              isJwt(field)
                ? reader.setCredential("jwt", value.trim())
                : setValues({ ...values, [fieldKey(field)]: value })
            }
          />
          {operation.json && (
            <JsonBody
              fields={operation.fields.filter((field) => field.in === "json")}
              invalid={invalid}
              text={values[jsonKey] ?? ""}
              onChange={(text) => setValues({ ...values, [jsonKey]: text })}
            />
          )}
        </div>
        <div className="example">
          <Samples samples={samplesOf(call)} />
          <div className="try">
            {issuesToken(operation) && (
              <p className="hint">
                The response can contain a new token, which is a secret. Send this call only where nobody else sees your
                screen.
              </p>
            )}
            <button type="submit" className={isFinal(operation) ? "send final" : "send"} disabled={sending.isLocked}>
              Send this call
            </button>
            <OutcomeView sending={sending} />
          </div>
        </div>
      </form>
      <Responses responses={operation.responses} />
      <FinalCallDialog ref={dialog} operation={operation} path={call.path} onConfirm={() => sending.run()} />
    </div>
  );
};

const headings = [
  { id: "request", title: "Request" },
  { id: "responses", title: "Responses" },
] as const;

interface RequestFieldsProps {
  fields: readonly RequestField[];
  /** The fields that the service rejected in the last call. */
  invalid: Partial<Record<string, string[]>>;
  enteredIn(field: RequestField): string;
  onChange(field: RequestField, value: string): void;
}

const groups = {
  path: "In the path",
  query: "In the query",
  header: "In the headers",
  form: "In the form",
  json: "In the JSON body",
} as const;

/** Shows the request's fields, grouped by where they are sent. Each has its limits and an input. */
const RequestFields = ({ fields, invalid, enteredIn, onChange }: RequestFieldsProps) =>
  [...Map.groupBy(fields, (field) => field.in)].map(([place, group]) => (
    <section key={place}>
      <h3>{groups[place]}</h3>
      {group.map((field) => {
        const id = `${place}-${field.name}`;
        const problems = invalid[field.name];
        const { minimum, maximum } = field.schema;
        return (
          <div key={id} className="field">
            <FieldHead field={field} labelFor={id} markRequired />
            <input
              id={id}
              aria-describedby={`${id}-about ${id}-problems`}
              aria-invalid={problems !== undefined}
              autoComplete="off"
              spellCheck={false}
              placeholder={field.required ? "" : "not sent"}
              value={enteredIn(field)}
              onChange={({ target }) => onChange(field, target.value)}
              // The browser validates numbers.
              {...(isJwt(field) && { type: "password", placeholder: "eyJ…" })}
              {...(typeOf(field.schema) === "integer" && { type: "number", min: minimum, max: maximum })}
            />
            <p id={`${id}-problems`} className="failed">
              {problems?.join(" ")}
            </p>
          </div>
        );
      })}
    </section>
  ));

interface JsonBodyProps {
  fields: readonly RequestField[];
  invalid: RequestFieldsProps["invalid"];
  text: string;
  onChange(text: string): void;
}

/** Shows the members of a JSON body, and an editor for the body as text. */
const JsonBody = ({ fields, invalid, text, onChange }: JsonBodyProps) => (
  <section>
    <h3>
      <label htmlFor="json">{groups.json}</label>
    </h3>
    <textarea
      id="json"
      aria-describedby="json-problems"
      aria-invalid={Object.keys(invalid).length > 0}
      autoComplete="off"
      spellCheck={false}
      rows={Math.min(text.split("\n").length, 24)}
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
    <p id="json-problems" className="failed">
      {Object.values(invalid).flat().join(" ")}
    </p>
    {fields.map((field) => (
      <div key={field.name} className="field">
        <FieldHead field={field} markRequired />
      </div>
    ))}
  </section>
);

interface FinalCallDialogProps {
  ref: RefObject<HTMLDialogElement | null>;
  operation: Operation;
  /** The call's path with its parameters filled in. */
  path: string;
  onConfirm(): void;
}

/** Describes a call that can't be undone and asks for confirmation. */
const FinalCallDialog = ({ ref, operation, path, onConfirm }: FinalCallDialogProps) => (
  <dialog ref={ref} aria-labelledby="final-call">
    <form method="dialog" onSubmit={onConfirm}>
      <h2 id="final-call">{operation.summary}?</h2>
      <p>This is a real call, and it cannot be undone.</p>
      <p className="path">
        <Method method={operation.method} /> <code>{path}</code>
      </p>
      <Html html={operation.description} />
      <div className="row buttons">
        <button type="button" onClick={() => ref.current?.close()}>
          Cancel
        </button>
        <button type="submit" className="final">
          {operation.summary}
        </button>
      </div>
    </form>
  </dialog>
);
