import type { RequestField } from "../description/description.ts";
import { FieldHead } from "../parts/field-head.tsx";

interface RequestFieldsProps {
  fields: readonly RequestField[];
  enteredIn(field: RequestField): string;
  onChange(field: RequestField, value: string): void;
}

const groups = { path: "In the path", query: "In the query", header: "In the headers", form: "In the form" } as const;

/** The fields of a request by where they are sent, each with its limits and a control to enter it. */
export const RequestFields = ({ fields, enteredIn, onChange }: RequestFieldsProps) =>
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
