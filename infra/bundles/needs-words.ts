import type * as z from "zod/mini";
import type { Endpoint } from "../../lambdas/declaration/endpoint.ts";
import { definitionOf } from "../../lambdas/shared/validation/definition.ts";

/**
 * Checks whether the schemas of an endpoint's input, settings and secrets can find a problem for which neither they nor
 * `basic-words.ts` have a message. JSON always can.
 */
export const needsWords = ({ parameters, query, form, json, settings, secrets }: Pick<Endpoint, InputPart>): boolean =>
  json !== undefined ||
  [parameters, query, form, ...Object.values({ ...settings, ...secrets })].some(
    (schema) => schema && isWordless(schema),
  );

type InputPart = "parameters" | "query" | "form" | "json" | "settings" | "secrets";

const isWordless = (schema: z.core.$ZodType): boolean => {
  const def = definitionOf(schema);
  if (def.checks?.some(({ _zod: check }) => !hasWords(check.def))) return true;
  switch (def.type) {
    case "object":
      return Object.values(def.shape).some(isWordless);
    case "optional":
    case "nullable":
    case "default":
      return isWordless(def.innerType);
    case "pipe":
      return isWordless(def.in) || isWordless(def.out);
    case "string":
      return "format" in def && def.error === undefined;
    case "number":
      return "check" in def && def.error === undefined;
    case "transform":
      return false;
    default:
      return def.error === undefined;
  }
};

const wordlessChecks = ["custom", "overwrite", "describe", "meta"];

const hasWords = ({ check, error }: z.core.$ZodCheckDef): boolean =>
  error !== undefined || wordlessChecks.includes(check);
