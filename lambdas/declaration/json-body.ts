import type { Endpoint } from "./endpoint.ts";

const defaultJsonBytes = 256 * 1024;

/**
 * The largest JSON body that an endpoint may declare. API Gateway accepts 10 MB, but Lambda only an event of 6 MB, in which a body
 * is a string with escaped quotation marks, or base64 if it is a merge patch. Larger bodies are rejected before the function runs.
 */
export const maxJsonBytes = 4 * 1024 * 1024;

/** Returns the media types that an endpoint's JSON body may have, and its maximum size. The first type describes it best. */
export const jsonBodyOf = ({ method, jsonBytes = defaultJsonBytes }: BodyDeclaration): JsonBody => ({
  mediaTypes: method === "PATCH" ? ["application/merge-patch+json", "application/json"] : ["application/json"],
  maxBytes: jsonBytes,
});

interface BodyDeclaration {
  method: Endpoint["method"];
  jsonBytes?: Endpoint["jsonBytes"] | undefined;
}

interface JsonBody {
  mediaTypes: readonly [string, ...string[]];
  maxBytes: number;
}
