import type { Endpoint } from "../declaration/endpoint.ts";
import { jsonBodyOf } from "../declaration/json-body.ts";
import { ApiError, ValidationError } from "../shared/errors/api-error.ts";
import { inspectJson, maxDepth } from "../shared/validation/inspect-json.ts";
import { type BodyFields, bodyBytes, isPlain, unsupportedType } from "./read-body.ts";
import type { Middleware, Request } from "./request.ts";

const adminBytes = 16 * 1024;

interface ReadJsonOptions {
  /** The media types that the body may have. Default: `application/json`. */
  mediaTypes?: readonly string[];
  /** Maximum size of the body. Default: 16 KiB. */
  maxBytes?: number;
}

/**
 * Reads the JSON object in the body of a POST, PUT or PATCH. A `ValidationError` names what the body does not say clearly: see
 * `inspectJson`.
 *
 * @example chain.use(readJson()).handler(async ({ fields }) => …)
 */
export const readJson = ({
  mediaTypes = ["application/json"],
  maxBytes = adminBytes,
}: ReadJsonOptions = {}): Middleware<BodyFields> => {
  const parseJson = ({ event }: Request<BodyFields>): void => {
    event.fields = {};
    if (!["POST", "PUT", "PATCH"].includes(event.requestContext.http.method)) return;
    if (!mediaTypes.some((type) => isPlain(type, event))) throw unsupportedType(mediaTypes);
    event.fields = parseObject(bodyBytes(event, maxBytes));
  };
  return { before: parseJson };
};

/** What the function of an endpoint that takes JSON reads its body with. */
export const readBody = (endpoint: Endpoint): Middleware<BodyFields> => readJson(jsonBodyOf(endpoint));

const parseObject = (bytes: Buffer): unknown => {
  const { value, isClean, fields } = parse(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ApiError("malformed_json");
  if (!isClean) throw new ValidationError(fields);
  return value;
};

const parse = (bytes: Buffer) => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const { isTooDeep, hasNegativeZero, ...inspected } = inspectJson(text);
    if (isTooDeep) throw new RangeError(`The body has more than ${maxDepth} levels.`);
    const value: unknown = hasNegativeZero ? JSON.parse(text, withoutSign) : JSON.parse(text);
    return { ...inspected, value };
  } catch (error) {
    throw new ApiError("malformed_json", { cause: error });
  }
};

/** Turns -0 into 0. Neither DynamoDB nor JSON keeps the sign. */
const withoutSign = (_: string, value: unknown): unknown => (value === 0 ? 0 : value);
