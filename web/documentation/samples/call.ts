import type { Credential, Operation } from "../description.ts";

/** An API call, ready to be sent or shown as code. */
export interface Call extends Pick<Operation, "id" | "client" | "method"> {
  /** The path as in the description, and what is sent in the path, the query and the form, for the clients. */
  parameters: Readonly<Record<"path" | "query" | "form", readonly TypedValue[]>> & { template: string };
  /** How the clients read the pages of the response, if it has several. */
  paging: "pages" | "changes" | undefined;
  /** Percent-encoded path with the query. */
  path: string;
  headers: readonly SentField[];
  form: readonly SentField[];
  /** Everything that is sent by name, except credentials and JSON. */
  sent: Readonly<Record<string, string>>;
  /** The JSON body, as text. */
  json?: { mediaType: string; text: string };
  /** The body of a successful response that the samples print. */
  responseBody: "json" | "text" | "none";
}

/** A parameter's name and value. Numbers and truth values are sent without quotes. */
export type TypedValue = readonly [name: string, value: string, type: "text" | "plain"];

/** A header or a field, with its value or the credential that it carries. */
export type SentField = readonly [name: string, value: string | { credential: Credential }];
