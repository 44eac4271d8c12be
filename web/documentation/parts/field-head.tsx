import type { Field } from "../description/description.ts";
import { limitsOf, typeOf } from "../description/limits.ts";
import { Markdown } from "./markdown.tsx";

interface FieldHeadProps {
  field: Field;
  /** The id of the control that the name labels. */
  labelFor?: string;
  /** Whether to say which fields are required: those of a response need not be entered. */
  markRequired?: boolean;
}

/** The name of a field, its type and limits, and what it means. */
export const FieldHead = ({ field, labelFor, markRequired = false }: FieldHeadProps) => {
  const { name, required, description, schema } = field;
  return (
    <>
      <p className="field-name">
        {labelFor ? (
          <label htmlFor={labelFor}>
            <code>{name}</code>
          </label>
        ) : (
          <code>{name}</code>
        )}
        {markRequired && <span className={required ? "required" : "quiet"}>{required ? "required" : "optional"}</span>}
        <span className="quiet">{[typeOf(schema), ...limitsOf(schema)].join(", ")}</span>
      </p>
      <div id={labelFor && `${labelFor}-about`}>
        <Markdown text={description} />
        {schema.pattern && !schema.format && (
          <p className="pattern">
            Pattern: <code>{schema.pattern}</code>
          </p>
        )}
      </div>
    </>
  );
};
