import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Description } from "./description.ts";

/** Returns the problems of a value, one per line. Empty if the value is valid. */
export type ProblemsOf = (schema: object, value: unknown) => string[];

/** Returns a validator for values against the schemas of a description, including references. */
export const schemasOf = (description: Description): ProblemsOf => {
  const ajv = new Ajv2020({ allErrors: true });
  formats.default(ajv);
  ajv.addFormat("ulid", /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  ajv.addFormat("decimal", /^-?\d+(\.\d+)?$/);
  // Ajv rejects formats that it does not know. An application may have its own.
  for (const [, format = ""] of JSON.stringify(description).matchAll(/"format":"([^"]+)"/g)) {
    if (!(format in ajv.formats)) ajv.addFormat(format, true);
  }
  // Ajv rejects unknown keywords. These keywords are outside the schemas.
  ajv.addVocabulary(Object.keys(description));
  ajv.addSchema(withAbsoluteReferences(description), "description", undefined, false);

  const compiled = new WeakMap<object, ValidateFunction>();
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile(withAbsoluteReferences(schema));
    compiled.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath || "it", message, params.additionalProperty, params.allowedValues].filter(Boolean).join(" "),
    );
  };
};

const withAbsoluteReferences = (part: object): object =>
  JSON.parse(JSON.stringify(part).replaceAll('"$ref":"#/', '"$ref":"description#/'));
