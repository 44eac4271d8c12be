import { isText, type ResponseDeclaration } from "../declaration/responses.ts";
import type { ApiResponse } from "../middlewares/request.ts";
import { responseRenderer as jsonRenderer } from "./render-response.ts";

/** Maximum size of a body that is not JSON. A function's response has at most 6 MB, and base64 adds a third. */
const maxBodyBytes = 4 * 1024 * 1024;

/** Keeps browsers from running what a body contains, whatever its type. */
const sandbox = "default-src 'none'; sandbox";

/**
 * Renders headers, redirects to other origins and bodies that are not JSON, besides what the other renderer does. The bundler links
 * this module only to endpoints that declare one of these.
 */
export const responseRenderer: typeof jsonRenderer = (endpoint, apiVersion) => {
  const render = jsonRenderer(endpoint, apiVersion);
  return (result, event) => {
    const response = render(result, event);
    const declared = endpoint.responses[result.status];
    if (!declared) return response;
    const type = declared.media && { "Content-Type": contentType(declared.media) };
    if (response.statusCode === 304) {
      const vary = isText(declared.media) && { Vary: "Accept-Encoding" };
      return { ...response, headers: { ...response.headers, ...type, ...vary } };
    }

    const headers = {
      ...headersIn(declared, result.headers),
      ...response.headers,
      ...locationIn(declared, result.location),
      ...type,
      ...(declared.media && { "Content-Security-Policy": sandbox }),
      ...(declared.fileName && { "Content-Disposition": `attachment; filename="${declared.fileName}"` }),
    };
    return { ...response, headers, ...(declared.media && encodedBody(declared.media, result.body)) };
  };
};

const contentType = (media: string): string => (isText(media) ? `${media}; charset=utf-8` : media);

/** Returns the declared headers as text. */
const headersIn = (
  { headers: schemas = {} }: ResponseDeclaration,
  values: Readonly<Record<string, unknown>> = {},
): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(schemas)) {
    const value = values[name];
    if (value !== undefined) headers[name] = asHeader(name, String(value));
  }
  return headers;
};

/** A line break would let the value add its own headers and body. */
const asHeader = (name: string, value: string): string => {
  if (/^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(value)) return value;
  throw new Error(`The header ${name} has characters other than visible ASCII: encode its value.`);
};

/** Returns the address that a redirect leads to. The address may contain a secret, so it is neither logged nor stored. */
const locationIn = ({ location: declared }: ResponseDeclaration, location = "/"): Record<string, string> => {
  if (typeof declared !== "object" || location.startsWith("/")) return {};
  const url = URL.parse(location);
  if (!url || !declared.origins.some((origin) => origin === url.origin) || url.username || url.password) {
    throw new Error(`The response leads to ${url?.origin ?? "no address"}, which its declaration does not allow.`);
  }
  return { Location: url.href, "Cache-Control": "no-cache, no-store" };
};

const encodedBody = (media: string, body: unknown): Pick<ApiResponse, "body" | "isBase64Encoded"> => {
  const bytes = (typeof body === "string") === isText(media) && bytesOf(body);
  if (!bytes) throw new Error(`A body of the type ${media} must be ${isText(media) ? "a string" : "a Uint8Array"}.`);
  if (bytes.length > maxBodyBytes) {
    throw new Error(`The body has ${bytes.length} bytes; the maximum is ${maxBodyBytes}.`);
  }
  return isText(media) ? { body: bytes.toString() } : { body: bytes.toString("base64"), isBase64Encoded: true };
};

const bytesOf = (body: unknown): Buffer | undefined =>
  typeof body === "string" || body instanceof Uint8Array ? Buffer.from(body) : undefined;
