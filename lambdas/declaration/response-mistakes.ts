import type { EndpointResponse, ResponseDeclaration, Responses } from "./responses.ts";

/*
 * TypeScript allows additional members in everything that a type parameter is inferred from, such as responses and the results of
 * handlers. These types reject them: the type of a wrong member is a sentence that the compiler prints.
 */

/** The members of an endpoint's declaration that contain a mistake. */
export type Mistakes<R extends Responses, Result> = MistakeInHandler<Sentences<R, Result>> & {
  responses: { [Status in keyof R]: MistakesIn<R[Status], Status> };
};

/** Rejects the members that a declaration does not have. `What` is the beginning of the sentence about them. */
export type OnlyMembers<Value, Declared, What extends string> = {
  [Name in Exclude<keyof Value, keyof Declared>]: Mistake<`${What} has no member ${Name & string}.`>;
};

/** A type that no value has. */
export interface Mistake<Sentence extends string> {
  readonly [mistake]: Sentence;
}
declare const mistake: unique symbol;

/** The statuses that a declaration can have. The service itself sends the others. */
export const successStatuses = [200, 201, 202, 203, 204, 205, 303] as const;

type MistakesIn<Declared, Status> = number extends Status
  ? unknown
  : Status extends (typeof successStatuses)[number]
    ? {
        [Name in Exclude<
          keyof Declared,
          keyof ResponseDeclaration
        >]: Mistake<`A response has no member ${Name & string}.`>;
      } & {
        [Name in keyof Declared & "headers"]: MistakesInHeaders<Declared[Name]>;
      }
    : Mistake<`An endpoint cannot declare the status ${Status & number}.`>;

type MistakesInHeaders<Headers> = {
  [Name in keyof Headers as Lowercase<Name & string> extends Reserved
    ? Name
    : never]: Mistake<`Only the service itself sets ${Name & string}.`>;
};

/**
 * The headers that only the service itself sets, because they affect how a response is read, stored, shown or followed. A name that
 * ends with a hyphen stands for all that begin with it.
 */
export const reservedHeaders = [
  ...["accept-", "access-control-", "age", "allow", "alt-", "cache-control", "clear-site-data", "connection"],
  ...["content-", "cross-origin-", "date", "deprecation", "etag", "expires", "http2-", "keep-alive", "link"],
  ...["location", "nel", "origin-", "permissions-", "pragma", "proxy-", "ratelimit", "ratelimit-", "referrer-"],
  ...["refresh", "report-", "reporting-", "sec-", "server", "service-worker-", "set-cookie", "sourcemap"],
  ...["strict-transport-", "sunset", "te", "trailer", "transfer-", "upgrade", "upgrade-", "vary", "via", "warning"],
  ...["www-authenticate", "x-amz-", "x-amzn-", "x-content-", "x-frame-", "x-request-id", "x-sourcemap", "x-token"],
  ...["x-token-", "x-xss-"],
] as const;

type Reserved = NamesFrom<(typeof reservedHeaders)[number]>;
type NamesFrom<Entry extends string> = Entry extends `${string}-` ? `${Entry}${string}` : Entry;

type MistakeInHandler<Sentence> = [Sentence] extends [never] ? unknown : { handler: Sentence };

/** What is wrong with the result of a handler. */
type Sentences<R extends Responses, Result> = Result extends { status: infer Status extends number }
  ? number extends Status
    ? never
    : Status extends keyof R
      ? Undeclared<Result, Extract<EndpointResponse<R>, { status: Status }>> extends infer Path extends string
        ? `The response ${Status} does not declare ${Path}.`
        : never
      : `The responses do not declare the status ${Status}.`
  : never;

/** The paths of a value's members that its declaration lacks. None if the value is not an object or is `any`. */
type Undeclared<Value, Declared> = [0 extends 1 & Declared ? never : Extract<Declared, object>] extends [never]
  ? never
  : Value extends readonly (infer Item)[]
    ? Declared extends readonly (infer DeclaredItem)[]
      ? Below<"0", Item, DeclaredItem>
      : never
    : Value extends object
      ? { [Name in keyof Value & string]: UndeclaredIn<Value, Name, Declared> }[keyof Value & string]
      : never;

type UndeclaredIn<Value, Name extends keyof Value & string, Declared> = [Value[Name]] extends [undefined]
  ? never
  : Name extends NamesIn<Declared>
    ? Below<Name, Value[Name], MemberOf<Declared, Name>>
    : IsLiteral<Value, Name> extends true
      ? Name
      : never;

type Below<Name extends string, Value, Declared> =
  Undeclared<Value, Declared> extends infer Path extends string ? `${Name}.${Path}` : never;

/**
 * Tells an object literal, whose members the `const` parameter makes read-only, from a record that was read. A record may have more
 * members than its response: they are not sent.
 */
type IsLiteral<Value, Name extends keyof Value> =
  Equal<Pick<Value, Name>, { -readonly [N in Name]: Value[N] }> extends true ? false : true;
type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

type NamesIn<Declared> = Declared extends object ? keyof Declared : never;
type MemberOf<Declared, Name extends PropertyKey> = Declared extends { [N in Name]?: infer Member } ? Member : never;
