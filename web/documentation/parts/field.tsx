import type { Field, SchemaObject } from "../description.ts";
import { Html } from "./html.tsx";

interface FieldHeadProps {
  field: Field;
  /** The id of the control that the name labels. */
  labelFor?: string;
  /** Whether to mark required fields. Not needed for responses, because nobody enters them. */
  markRequired?: boolean;
}

/** Shows a field's name, type, limits and meaning. */
export const FieldHead = ({ field, labelFor, markRequired = false }: FieldHeadProps) => {
  const { name, required, description, schema } = field;
  return (
    <>
      <p className="field-name row">
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
        <Html html={description} />
      </div>
    </>
  );
};

/** Describes the type of a value in a few words: `string`, `integer or null`. */
export const typeOf = ({ type, items, anyOf, oneOf, enum: values, const: constant }: SchemaObject): string => {
  if (type === "array" && items) return `array of ${"$ref" in items ? "object" : typeOf(items)}s`;
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return alternatives.map((part) => ("$ref" in part ? "object" : typeOf(part))).join(" or ");
  if (type !== undefined) return [type].flat().join(" or ");
  return typeof (constant ?? values?.[0] ?? "");
};

/** Returns the limits and the format of a value, each as a short phrase. */
export const limitsOf = (schema: SchemaObject): string[] => {
  const { format = "", items, anyOf = [] } = schema;
  return [
    between(schema.minLength, schema.maxLength, "characters"),
    between(schema.minimum, schema.maximum, ""),
    between(schema.minItems, schema.maxItems, "items"),
    formats[format] ?? format,
    schema.enum ? `one of ${schema.enum.join(", ")}` : "",
    schema.const === undefined ? "" : `always ${String(schema.const)}`,
    schema.default === undefined ? "" : `default ${String(schema.default)}`,
    ...[...anyOf, ...(items ? [items] : [])].flatMap((part) => ("$ref" in part ? [] : limitsOf(part))),
  ].filter(Boolean);
};

const formats: Readonly<Record<string, string>> = { "date-time": "RFC 3339 date and time in UTC" };

const between = (least: number | undefined, most: number | undefined, unit: string): string => {
  if (least === undefined && most === undefined) return "";
  const numbers = least === most ? `exactly ${least}` : most === undefined ? `at least ${least}` : "";
  return `${numbers || (least === undefined ? `at most ${most}` : `${least} to ${most}`)} ${unit}`.trim();
};
