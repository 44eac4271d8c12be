import type { ExampleCaller } from "./example-callers.ts";
import { fillPath, type OperationExample, targetOf } from "./examples.ts";
import type { Answer, CallOptions, TestService } from "./running-service.ts";
import type { StateName } from "./table-states.ts";

/** What differs from the example of an endpoint. */
export interface ChangedRequest extends CallOptions {
  parameters?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  /** The state of the tables when it is sent: by default `filled` if there are `records`, otherwise what other tests left. */
  state?: StateName;
  /** What some of the tables hold instead, by store. */
  records?: Readonly<Record<string, object[]>>;
}

/**
 * Requests beyond the examples, by the name of their endpoint in the description and of the response that they get.
 *
 * @example { "v1-place-order": { "409 sold_out": { records: { articles: [{ ...exampleArticle, stock: 0 }] } } } }
 */
export type ServiceRequests = Readonly<Record<string, Readonly<Record<string, ChangedRequest>>>>;

/** Sends the example of an endpoint, with changes. */
export const sendExample = (
  to: TestService,
  { operation, request }: OperationExample,
  { text: token, from }: ExampleCaller,
  { parameters, query, state: _, records: __, ...change }: ChangedRequest = {},
): Promise<Answer> => {
  const target = targetOf({
    path: parameters ? fillPath(operation.path, parameters) : request.path,
    query: query ? new URLSearchParams(query).toString() : request.query,
  });
  return to.call(request.method, target, { token, from, ...(request.form && { form: request.form }), ...change });
};
