import { ApiError } from "../errors/api-error.ts";
import { bodyBytes } from "./body-bytes.ts";
import { isInUtf8 } from "./content-type.ts";
import type { Middleware } from "./request.ts";

interface JsonBodyOptions {
  maxBytes?: number;
}

/** Reads the body of a POST or PUT, a JSON object, into `event.body`. */
export const jsonBody = ({ maxBytes = 16 * 1024 }: JsonBodyOptions = {}): Middleware => ({
  before: ({ event }) => {
    if (!["POST", "PUT"].includes(event.requestContext.http.method)) return;
    if (!isInUtf8("application/json", event.headers["content-type"])) throw new ApiError("json_required");
    event.body = parseObject(bodyBytes(event, maxBytes));
  },
});

const parseObject = (bytes: Buffer): Record<string, unknown> => {
  const value = parse(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ApiError("malformed_json");
  return { ...value };
};

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ApiError("malformed_json", { cause: error });
  }
};
