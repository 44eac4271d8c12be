import fc from "fast-check";
import * as actions from "../../../lambdas/admin/actions.ts";
import { api } from "../../../lambdas/api.ts";
import { adminRoute } from "../../../lambdas/declaration/action.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { exampleRequest } from "../../../lambdas/resources/tokens/tokens-table.ts";
import { hostileForm, hostileJson } from "./bodies.ts";
import { type HttpCase, secretMark, tokenNames, tokenParts } from "./case.ts";
import { queryValues } from "./field-values.ts";
import { hostileText } from "./hostile-text.ts";
import {
  address,
  adminRequests,
  endpointRequests,
  form,
  json,
  limitedRequests,
  otherRequests,
} from "./valid-requests.ts";

/** The paths that have parameters. */
const parameterPaths = [
  ...operationsOf(api).map(({ path }) => path),
  ...Object.values(actions).map(({ contract }) => adminRoute(contract).path),
].filter((path) => path.includes("{"));

/** Most often, one of these leaves a request unchanged, so that the others have an effect. */
const sometimes = <T>(arbitrary: fc.Arbitrary<T>, weight = 1): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight, arbitrary });

const accept = fc.oneof(
  fc.constantFrom("", "*/*", "application/*", "application/json;q=0", "application/json;q=0.001", "APPLICATION/JSON"),
  fc
    .array(fc.tuple(fc.constantFrom("application/json", "text/html", "*/*", "application/problem+json"), hostileText))
    .map((parts) => parts.map(([type, parameter]) => `${type};q=${parameter}`).join(",")),
  hostileText,
);

const token = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...tokenNames, "unknown"), fc.constantFrom(...tokenParts))
      .map(([name, part]) => `<<${name}${part}>>`),
  },
  { weight: 2, arbitrary: fc.tuple(hostileText, hostileText).map(([before, after]) => `${before}<<active>>${after}`) },
  { weight: 1, arbitrary: hostileText.map((text) => `itk_<<active:id>>_${secretMark}${text}`) },
  { weight: 1, arbitrary: hostileText.map((text) => `iti_<<invited:id>>_${secretMark}${text}`) },
  { weight: 1, arbitrary: fc.tuple(hostileText, hostileText).map((parts) => parts.join("<<invited>>")) },
  { weight: 1, arbitrary: hostileText },
);

const contentType = fc.oneof(
  fc.constantFrom(
    "",
    json,
    form,
    `${form}; charset=utf-16`,
    `${form};charset="utf-8"`,
    "multipart/form-data",
    "text/plain",
  ),
  hostileText.map((text) => `${form};charset=${text}`),
  hostileText,
);

const sourceIp = fc.constantFrom(
  null,
  "",
  "203.0.113.9",
  exampleRequest.ip,
  "::ffff:198.51.100.7",
  "198.51.100.07",
  "fe80::1%eth0",
  "localhost",
  "198.51.100.7 ",
);

const headers = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      "x-forwarded-for",
      "forwarded",
      "x-real-ip",
      "host",
      "origin",
      "cookie",
      "authorization",
      "x-http-method-override",
      "accept-encoding",
      "if-none-match",
      "if-match",
      "range",
      "x-amzn-trace-id",
      "x-sent-path",
      "__proto__",
      "constructor",
    ),
    hostileText,
  ),
  fc.oneof(
    fc.constantFrom(
      address,
      "evil.example",
      "GET",
      "gzip;q=nope, br",
      "*",
      '"mi9dbwor"',
      'W/"x", "y"',
      "/api/v1/key/%31234567",
    ),
    hostileText,
  ),
  { maxKeys: 4 },
);

const path = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom(...parameterPaths), hostileText)
      .map(([declared, text]) => declared.replaceAll(/\{\w+\}/g, () => text)),
  },
  fc
    .tuple(fc.constantFrom("/api/", "/admin/", "/api/documentation/", "/assets/", "/"), hostileText)
    .map((parts) => parts.join("")),
  fc.constantFrom(
    "/",
    "//",
    "/api",
    "/api/",
    "/api/v1/key/",
    "/api/v1//key",
    "/API/v1/key",
    "/api/v1/key/../token",
    "/api/v9/key",
  ),
);

const parameter = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...queryValues.flatMap((values) => Object.entries(values)))
      .chain(([name, value]) =>
        fc
          .oneof(value.map(String), fc.constantFrom("1", "1001", "MTIzNDU2N", "gA", "____"))
          .map((text) => [name, text]),
      ),
  },
  { weight: 1, arbitrary: fc.tuple(hostileText, hostileText) },
);

const query = fc.array(parameter, { maxLength: 4 }).map((pairs) => pairs.map((pair) => pair.join("=")).join("&"));

const claims = fc.oneof(
  fc.record({
    token_use: fc.constantFrom("access", "id", "refresh", "", null),
    username: fc.oneof(fc.constantFrom("alice@example.com", "", null), hostileText),
    "cognito:groups": fc.oneof(
      fc.constantFrom("[Admin]", "[Superuser Admin]", "Admin", "[admin]", "[]", ["Admin"], null, 1),
      hostileText,
    ),
  }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
);

/** Events that no gateway would send. All invariants must hold nevertheless. */
const tampered = fc.dictionary(fc.constantFrom("rawPath", "rawQueryString", "routeKey", "body"), hostileText, {
  maxKeys: 2,
});

export const httpCase: fc.Arbitrary<HttpCase> = fc
  .record({
    base: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...endpointRequests) },
      { weight: 8, arbitrary: fc.constantFrom(...adminRequests) },
      { weight: 1, arbitrary: fc.constantFrom(...otherRequests) },
      // Not many, because the token soon gets only refusals.
      { weight: 1, arbitrary: fc.constantFrom(...limitedRequests) },
    ),
    accept: sometimes(accept),
    token: sometimes(token, 2),
    contentType: sometimes(contentType),
    sourceIp: sometimes(sourceIp),
    headers: sometimes(headers),
    method: sometimes(
      fc.oneof(
        fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "get", "TRACE"),
        hostileText,
      ),
    ),
    path: sometimes(path, 2),
    query: sometimes(query, 3),
    form: hostileForm,
    json: hostileJson,
    hasHostileBody: fc.boolean(),
    isBase64: sometimes(fc.constant(true)),
    claims: sometimes(claims),
    tampered: sometimes(tampered),
  })
  .map(({ base, ...mutation }) => {
    const own = {
      ...(mutation.accept !== undefined && { accept: mutation.accept }),
      ...(mutation.token !== undefined && { "x-token": mutation.token }),
      ...(mutation.contentType !== undefined && { "content-type": mutation.contentType }),
    };
    const hostileBody = base.path.startsWith("/admin") ? mutation.json : mutation.form;
    const body = base.body !== undefined && mutation.hasHostileBody ? hostileBody : base.body;
    return {
      ...base,
      ...(mutation.method !== undefined && { method: mutation.method }),
      ...(mutation.path !== undefined && { path: mutation.path }),
      ...(mutation.query !== undefined && { query: mutation.query }),
      ...(mutation.sourceIp !== undefined && { sourceIp: mutation.sourceIp }),
      ...(mutation.claims !== undefined && { claims: mutation.claims }),
      ...(mutation.tampered !== undefined && { tampered: mutation.tampered }),
      ...(body !== undefined &&
        (mutation.isBase64
          ? { body: Buffer.from(body, "latin1").toString("base64"), isBase64Encoded: true }
          : { body })),
      headers: { ...base.headers, ...own, ...mutation.headers },
    };
  });
