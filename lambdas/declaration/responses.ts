import type * as z from "zod/mini";

/** A media type that is not JSON, such as `text/csv`. Parameters are not part of it. */
export type MediaType = `${"application" | "audio" | "font" | "image" | "model" | "text" | "video"}/${string}`;

/** The schemas of a response's headers, by name. */
type HeaderSchemas = Readonly<Record<string, z.core.$ZodType<string | number | boolean | undefined>>>;

/** A success response of an endpoint. Errors are declared by their code, and the catalogue describes them. */
export interface ResponseDeclaration {
  description: string;
  /** The schema of the JSON body, if there is one. Fields that are not in the schema are never sent. */
  body?: z.core.$ZodType;
  /**
   * The type of a body that is not JSON, up to 4 MB. For `text/…`, the handler returns a string, which is compressed for clients
   * that accept it; for other types, it returns bytes.
   */
  media?: MediaType;
  /** The name under which a browser saves a body with a `media` type. */
  fileName?: string;
  /** Headers with facts about the response. The service sends them as text, without encoding them. */
  headers?: HeaderSchemas;
  /**
   * Adds a `Location` header: with `true`, the path of a resource below the version. The location of a `303` may also be an address
   * that begins with one of these `origins`, such as `https://labels.example`. Clients that follow redirects automatically send
   * `X-Token` there too, so name only origins that may know it.
   */
  location?: true | { readonly origins: readonly `https://${string}`[] };
  /** Adds a `Link` header if there is a next page, and a weak `ETag` of the content. */
  paged?: true;
  /** Adds the `ETag` of the version that the handler returns. */
  versioned?: true;
}

export type Responses = { readonly [Status in number]: ResponseDeclaration };

/** The result of a handler: one of the declared responses, with the members that it declares. */
export type EndpointResponse<R extends Responses> = {
  [Status in keyof R & number]: { status: Status } & (R[Status] extends { body: infer Body extends z.core.$ZodType }
    ? { body: Constant<z.output<Body>> }
    : unknown) &
    (R[Status] extends { media: infer Media }
      ? { body: Media extends `text/${string}` ? string : Uint8Array }
      : unknown) &
    (R[Status] extends { headers: infer Headers extends HeaderSchemas }
      ? { headers: z.output<z.ZodMiniObject<Headers>> }
      : unknown) &
    (R[Status] extends { location: infer Location } ? { location: LocationOf<Location> } : unknown) &
    (R[Status] extends { paged: true } ? { next: string | undefined } : unknown) &
    (R[Status] extends { versioned: true } ? { version: string } : unknown) & {
      /** Fields for the log line. They are never sent to the client. */
      facts?: Record<string, string>;
    };
}[keyof R & number];

type LocationOf<Declared> =
  | `/${string}`
  | (Declared extends { origins: readonly (infer Origin extends string)[] } ? `${Origin}/${string}` : never);

/** A value as a literal has it, whose members and items are read-only at every level. */
type Constant<Value> = Value extends object ? { readonly [Name in keyof Value]: Constant<Value[Name]> } : Value;

/** The result of any handler. */
export interface AnyResponse {
  status: number;
  body?: unknown;
  headers?: Readonly<Record<string, unknown>>;
  location?: string | undefined;
  next?: string | undefined;
  version?: string;
  facts?: Record<string, string>;
}

/** Checks whether a body of this type is text: a string for handlers, in UTF-8 for clients. */
export const isText = (media = ""): boolean => media.startsWith("text/");

/** Checks whether a response has parts besides a JSON body, its tags and the path of a resource. */
export const hasMoreParts = ({ media, headers, location }: ResponseDeclaration): boolean =>
  media !== undefined || headers !== undefined || typeof location === "object";
