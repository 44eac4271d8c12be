import fc from "fast-check";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import type { Service } from "../../../lambdas/declaration/service.ts";
import * as tables from "../../../lambdas/domain/tables.ts";
import { exampleJwt } from "../../../lambdas/domain/tokens/by-workload/read-jwt.ts";
import { actionExamples, encodeBody, operationExamples } from "../support/examples.ts";
import { type Case, type HttpCase, jwtPlaceholder, names, otherClient, otherClientsOf, secretMark } from "./case.ts";
import { places } from "./fixtures.ts";
import {
  hostileForm,
  hostileJson,
  hostileMembers,
  hostilePayload,
  hostileQuery,
  hostileText,
  weighted,
} from "./values.ts";

const json = "application/json";
const form = "application/x-www-form-urlencoded";

/** Inserts an existing token and a recognisable secret into an example. */
const filledIn = (text: string): string =>
  text
    .replaceAll(tables.tokens.example.token_id, "<<active:id>>")
    .replaceAll(exampleJwt, jwtPlaceholder)
    .replaceAll(tables.keys.example.v_code, secretMark.padEnd(64, "v"));

const request = (method: string, path: string, more: Partial<HttpCase> = {}): HttpCase => ({
  kind: "http",
  ...{ method, path, query: "", headers: {}, sourceIp: places.home },
  ...more,
});

/** Returns the examples of all endpoints, each with several tokens or invitations. */
const endpointRequests = (service: Service): HttpCase[] =>
  operationExamples(service).flatMap(({ operation: { endpoint }, request: example }) => {
    const { method, path, query } = example;
    const body = encodeBody(example);
    const { from, client = "" } = endpoint.example ?? {};
    const other = otherClientsOf(service).indexOf(client);
    const callers = {
      token: other < 0 ? ["active", "moving"] : [otherClient(other)],
      secret: ["active", "moving"],
      invitation: ["invited", "unaddressed"],
      workload: ["unknown"],
    }[endpoint.credential ?? "token"];
    return callers.map((name) =>
      request(method, decodeURIComponent(path), {
        query,
        headers: { accept: json, "x-token": `<<${name}>>`, ...(body && { "content-type": body.mediaType }) },
        ...(body && { body: filledIn(body.text) }),
        ...(from !== undefined && { sourceIp: from }),
      }),
    );
  });

const admin = { token_use: "access", username: "alice@example.com", "cognito:groups": ["Admin"] };

const adminRequests = (service: Service): HttpCase[] =>
  actionExamples(service).map(({ request: { method, path, query, json: fields } }) =>
    request(method, filledIn(decodeURIComponent(path)), {
      query: filledIn(query),
      claims: admin,
      ...(fields && { headers: { "content-type": json }, body: filledIn(JSON.stringify(fields)) }),
    }),
  );

/** Requests to the functions of the site and to the fallback. */
const otherRequests = ["/api/documentation", "/api/documentation/api-docs.json", "/settings.json"]
  .map((path) => request("GET", path, { headers: { accept: json, "x-token": "<<active>>" } }))
  .concat(request("PATCH", "/api/v1/key", { headers: { accept: json, "x-token": "<<active>>" } }));

const oneWord = (text: string): fc.Arbitrary<string> => fc.constantFrom(...text.split(" "));

const accept = fc.oneof(
  oneWord(" */* application/* application/json;q=0 application/json;q=0.001,text/html;q=1e400 APPLICATION/JSON"),
  hostileText.map((text) => `application/json;q=${text},text/html;q=${text}`),
  hostileText,
);

/** A complete token, its id, the same value as the other kind of credential, a wrong value, or an almost valid one. */
const token = weighted<string>(
  [
    6,
    fc
      .tuple(fc.constantFrom(...names, "unknown"), oneWord(" :id :kind :forged :mistyped"))
      .map(([name, part]) => `<<${name}${part}>>`),
  ],
  [2, fc.tuple(hostileText, hostileText).map((parts) => parts.join("<<active>>"))],
  [1, hostileText.map((text) => `itk_<<active:id>>_${secretMark}${text}`)],
  [1, hostileText.map((text) => `iti_<<invited:id>>_${secretMark}${text}`)],
  [1, fc.tuple(hostileText, hostileText).map((parts) => parts.join("<<invited>>"))],
  [1, hostileText],
);

const contentType = fc.oneof(
  fc.constantFrom("", json, "application/merge-patch+json", form, `${form}; charset=utf-16`, `${form};charset="utf-8"`),
  oneWord("multipart/form-data text/plain"),
  hostileText.map((text) => `${form};charset=${text}`),
  hostileText,
);

const sourceIp = fc.constantFrom(
  ...[null, "", "203.0.113.9", places.confirmed, "::ffff:198.51.100.7"],
  ...["198.51.100.07", "fe80::1%eth0", "localhost", "198.51.100.7 "],
);

const headers = fc.dictionary(
  fc.oneof(
    oneWord("x-forwarded-for forwarded x-real-ip host origin cookie authorization x-http-method-override"),
    oneWord("accept-encoding if-none-match if-match range x-amzn-trace-id x-sent-path __proto__ constructor"),
    hostileText,
  ),
  fc.oneof(
    fc.constantFrom(places.home, "evil.example", "GET", "gzip;q=nope, br", "*", '"mi9dbwor"', 'W/"x", "y"'),
    oneWord("/api/v1/key/%31234567"),
    hostileText,
  ),
  { maxKeys: 4 },
);

const hostilePath = (service: Service): fc.Arbitrary<string> => {
  const paths = [
    ...operationsOf(service).map(({ path }) => path),
    ...actionExamples(service).map(({ path }) => path),
  ].filter((path) => path.includes("{"));
  return weighted<string>(
    [
      5,
      fc
        .tuple(fc.constantFrom(...paths), hostileText)
        .map(([declared, text]) => declared.replaceAll(/\{\w+\}/g, () => text)),
    ],
    [1, fc.tuple(oneWord("/api/ /admin/ /api/documentation/ /assets/ /"), hostileText).map((parts) => parts.join(""))],
    [1, oneWord("/ // /api /api/ /api/v1/key/ /api/v1//key /API/v1/key /api/v1/key/../token /api/v9/key")],
  );
};

const claims = fc.oneof(
  fc.record({
    token_use: fc.constantFrom("access", "id", "refresh", "", null),
    username: fc.oneof(fc.constantFrom("alice@example.com", "", null), hostileText),
    "cognito:groups": fc.oneof(
      fc.constantFrom<unknown>(["Admin"], ["Superuser", "Admin"], "[Admin]", ["admin"], [], [["Admin"]], null, 1),
      hostileText,
    ),
  }),
  fc.constant({ ...admin, forged: true }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
);

/** Events that no gateway would send. The judge's invariants must hold for them too. */
const tampered = fc.dictionary(oneWord("rawPath rawQueryString routeKey body"), hostileText, { maxKeys: 2 });

/** Usually leaves each of these out, so that the others have an effect. */
const someOf = (arbitraries: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      ...Object.entries(arbitraries).map(([name, arbitrary]) =>
        weighted<[string, unknown][]>([4, fc.constant([])], [1, arbitrary.map((value) => [[name, value]])]),
      ),
    )
    .map((pairs) => Object.fromEntries(pairs.flat()));

const httpCase = (service: Service): fc.Arbitrary<HttpCase> =>
  fc
    .record({
      base: weighted<HttpCase>(
        [8, fc.constantFrom(...endpointRequests(service))],
        [8, fc.constantFrom(...adminRequests(service))],
        [1, fc.constantFrom(...otherRequests)],
      ),
      changes: someOf({
        method: fc.oneof(oneWord("GET POST PUT DELETE HEAD PATCH OPTIONS get TRACE"), hostileText),
        ...{ path: hostilePath(service), query: hostileQuery(service), sourceIp, claims, tampered },
      }),
      headers: someOf({ accept, "x-token": token, "content-type": contentType }),
      others: weighted([6, fc.constant({})], [1, headers]),
      form: hostileForm(service),
      json: hostileJson(service),
      members: hostileMembers(service),
      isHostile: fc.boolean(),
      isBase64: weighted([6, fc.constant(false)], [1, fc.constant(true)]),
    })
    .map(({ base, changes, headers: usual, others, isHostile, isBase64, ...hostile }) => {
      const one = { ...base, ...changes, headers: { ...base.headers, ...usual, ...others } };
      if (base.body === undefined) return one;
      const kind = base.path.startsWith("/admin") ? "json" : base.headers["content-type"] === form ? "form" : "members";
      const body = isHostile ? hostile[kind] : base.body;
      if (!isBase64) return { ...one, body };
      return { ...one, body: Buffer.from(body, "latin1").toString("base64"), isBase64Encoded: true };
    });

/** Generates any case. Requests are much more frequent than invocations. */
export const anyCase = (service: Service): fc.Arbitrary<Case> =>
  weighted<Case>(
    [6, httpCase(service)],
    [1, hostilePayload(service).map((payload): Case => ({ kind: "invoke", payload }))],
  );
