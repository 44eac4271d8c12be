import type { Description } from "../../../support/contract/description.ts";

const prose = new Set(["summary", "description", "example", "examples", "tags", "title", "license"]);

/** The objects under these names contain names that the API has chosen, such as fields. */
const namesBelow = new Set(["properties", "headers", "schemas", "responses", "paths", "securitySchemes", "content"]);

/** A description without the parts that only people read: a client can depend on the rest. */
export const withoutProse = (description: Description): Description => strip(description, false) as Description;

const strip = (part: unknown, areNames: boolean): unknown => {
  if (Array.isArray(part)) return part.map((item) => strip(item, false));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(
    Object.entries(part)
      .filter(([name]) => areNames || !prose.has(name))
      .map(([name, value]) => [name, strip(value, !areNames && namesBelow.has(name))]),
  );
};
