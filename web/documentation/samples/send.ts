import type { Call, SentField } from "./call.ts";
import { objectIn } from "./json-object.ts";
import type { Reader } from "./languages.ts";

/** A response as the page shows it. */
export interface ShownResponse {
  status: number;
  milliseconds: number;
  headers: [name: string, value: string][];
  body: string;
}

/** The status of every redirect, because browsers do not tell pages the real one. */
export const redirected = 0;

/** @throws {TypeError} if there is no response */
export const send = async (
  { method, path, headers = [], form = [], json }: Pick<Call, "method" | "path"> & Partial<Call>,
  reader: Reader,
): Promise<ShownResponse> => {
  const filled = ([name, value]: SentField) => [name, typeof value === "string" ? value : reader[value.credential]];
  const start = performance.now();
  const response = await fetch(path, {
    method,
    headers: {
      Accept: "application/json",
      ...(json && { "Content-Type": json.mediaType }),
      // The service rejects the call if something in between changes the path.
      "X-Sent-Path": path.split("?")[0] ?? path,
      ...Object.fromEntries(headers.map(filled).filter(([, value]) => value !== "")),
    },
    ...(form.length > 0 && { body: new URLSearchParams(form.map(filled)) }),
    ...(json && { body: json.text }),
    // A response may contain a v_code or a token, which the browser must not store.
    cache: "no-store",
    redirect: "manual",
  });
  return {
    status: response.status,
    milliseconds: Math.round(performance.now() - start),
    headers: [...response.headers],
    body: await readBody(response),
  };
};

const readBody = async (response: Response): Promise<string> => {
  const [type = ""] = (response.headers.get("Content-Type") ?? "").split(";");
  if (type === "application/json") return JSON.stringify(await response.json(), null, 2);
  if (type === "" || type.startsWith("text/")) return response.text();
  return `${(await response.blob()).size.toLocaleString("en")} bytes of ${type}`;
};

/** Returns the messages about invalid fields. */
export const invalidFieldsIn = ({ status, body }: ShownResponse): Partial<Record<string, string[]>> =>
  status === 422 ? membersIn(body) : {};

/** Returns the members of the object in a body. A proxy may have sent something else. */
export const membersIn = (body: string) => Object(objectIn(body));
