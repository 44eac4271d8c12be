import { mediaTypeOf } from "../support/decode-body.ts";
import {
  type Description,
  type HeaderObject,
  type Operation,
  operationsIn,
  type ResponseObject,
  resolve,
} from "./description.ts";
import { schemasOf } from "./schemas.ts";

export interface CheckedResponse {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
}

/** The paths of the documentation's pages and files, which are not part of the description. */
const documentation = /^\/api\/documentation(\.md|\/|$)/;

/** Matches a token or an invitation. */
const credential = /\bit[ik]_[0-9A-Z]{26}_/;

/**
 * Checks responses of the service against the description of the API.
 *
 * @throws {Error} that says how a response differs.
 */
export const responseContract = (description: Description) => {
  // API Gateway prefers a path without parameters.
  const operations = operationsIn(description)
    .map((operation) => ({ operation, pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`) }))
    .toSorted(({ operation: one }, { operation: other }) => one.path.split("{").length - other.path.split("{").length);
  const problemsOf = schemasOf(description);
  const isError = { $ref: "#/components/schemas/Error" };

  const assertDescribed = (method: string, target: string, answer: CheckedResponse): void => {
    const [path = ""] = target.split("?");
    const known = operations.filter(({ pattern }) => pattern.test(path)).map(({ operation }) => operation);
    const operation = known.find((one) => one.method === method);
    const problems = operation ? problemsWith(operation, answer) : problemsBeyond(path, known, answer);
    if (problems.length === 0) return;
    const list = problems.map((problem) => `\n- ${problem}`).join("");
    throw new Error(
      `The response ${answer.status} to ${method} ${path} does not match the description:${list}\n${answer.text}`,
    );
  };

  const problemsWith = ({ responses, operationId }: Operation, answer: CheckedResponse): string[] => {
    const response = responses[answer.status];
    if (!response) return [`the responses of ${operationId} are ${Object.keys(responses).join(", ")}`];
    const described = resolve(description, response);
    return [...headerProblems(described, answer), ...bodyProblems(described, answer), ...cachingProblems(answer)];
  };

  const headerProblems = ({ headers = {} }: ResponseObject, answer: CheckedResponse): string[] => {
    const described = Object.entries(headers).flatMap(([name, header]) => {
      const { required, schema } = resolve<HeaderObject>(description, header);
      const value = answer.headers[name.toLowerCase()];
      if (value === undefined) return required ? [`the header ${name} is missing`] : [];
      return problemsOf(schema, typedValue(schema, value)).map(
        (problem) => `the header ${name} is ${JSON.stringify(value)}: ${problem}`,
      );
    });
    const undescribed = Object.keys(description.components.headers ?? {}).filter(
      (name) => answer.headers[name.toLowerCase()] !== undefined && !(name in headers),
    );
    return [...described, ...undescribed.map((name) => `the header ${name} is not described`)];
  };

  const bodyProblems = ({ content }: ResponseObject, { headers, text }: CheckedResponse): string[] => {
    const contentType = headers["content-type"];
    // API Gateway adds a content type to every response.
    if (!content) return text === "" ? [] : [`there is a body, of the type ${contentType}`];
    const mediaType = mediaTypeOf(contentType);
    const body = content[mediaType];
    if (!body) return [`the Content-Type is ${contentType}, not ${Object.keys(content).join(" or ")}`];
    return problemsOf(body.schema, mediaType === "application/json" ? JSON.parse(text) : text).map(
      (problem) => `in the body, ${problem}`,
    );
  };

  const cachingProblems = ({ headers, text }: CheckedResponse): string[] =>
    credential.test(text) && !headers["cache-control"]?.includes("no-store")
      ? ["it contains the value of a token or an invitation, although caches may store it"]
      : [];

  /** Checks the responses of the fallback, which are not in the description: unknown paths and unsupported methods. */
  const problemsBeyond = (path: string, known: Operation[], answer: CheckedResponse): string[] => {
    const { status, headers, text } = answer;
    if (!path.startsWith("/api/") || documentation.test(path)) return [];
    const isRedirect = status === 302 || status === 307;
    if (isRedirect && headers.location !== "/api/documentation") return [`it redirects to ${headers.location}`];
    const expected = known.length > 0 ? 405 : 404;
    if (!isRedirect && status !== expected)
      return [`no operation is described there, so the status should be ${expected}`];
    return bodyProblems({ content: { "application/json": { schema: isError } } }, { status, headers, text });
  };

  return { assertDescribed };
};

/** Converts a header to the type in its schema. */
const typedValue = (schema: object, value: string): unknown => {
  const { type } = schema as { type?: unknown };
  if (type === "integer" || type === "number") return Number(value);
  return type === "boolean" ? value === "true" : value;
};
