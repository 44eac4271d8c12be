import fc from "fast-check";
import { hostileForm, hostileJson } from "./bodies.ts";
import { type HttpCase, secretMark, tokenNames, tokenParts } from "./case.ts";
import { hostileText } from "./hostile-text.ts";

const address = "198.51.100.7";
const json = "application/json";
const form = "application/x-www-form-urlencoded";
const admin = { token_use: "access", username: "alice@example.com", "cognito:groups": "[Admin]" };

const valid = (method: string, path: string, more: Partial<HttpCase> = {}): HttpCase => {
  const hasBody = method === "POST" || method === "PUT";
  const contentType = hasBody && { "content-type": path.startsWith("/admin") ? json : form };
  const headers = path.startsWith("/admin") ? {} : { accept: json, "x-token": "<<active>>" };
  const claims = path.startsWith("/admin") && { claims: admin };
  return {
    door: "http",
    method,
    path,
    query: "",
    headers: { ...headers, ...contentType },
    sourceIp: address,
    ...claims,
    ...more,
  };
};

const limited = { accept: json, "x-token": "<<limited>>" };
const pair = `key_id=1234567&v_code=${secretMark.padEnd(64, "v")}`;

/** A request to each route that the service takes, all that is on its own right but perhaps its body. */
const validRequests: HttpCase[] = [
  valid("GET", "/api/v1/key", { query: "limit=2" }),
  valid("POST", "/api/v1/key", { body: pair }),
  valid("GET", "/api/v1/key/1234567"),
  valid("PUT", "/api/v1/key/1234567", { body: pair }),
  valid("DELETE", "/api/v1/key/1234567"),
  valid("GET", "/api/v1/token"),
  valid("PATCH", "/api/v1/key"),
  valid("GET", "/api/documentation"),
  valid("GET", "/api/documentation/api-docs.json"),
  valid("GET", "/settings.json"),
  valid("GET", "/admin/tokens", { query: "limit=2" }),
  valid("POST", "/admin/tokens", { body: '{"ip":"203.0.113.1","comment":"c"}' }),
  valid("GET", "/admin/tokens/<<active:id>>"),
  valid("DELETE", "/admin/tokens/<<rotated:id>>"),
  valid("PUT", "/admin/tokens/<<active:id>>", { body: '{"rate_limit":60}' }),
  valid("POST", "/admin/tokens/<<elsewhere:id>>/rotate", { body: '{"grace_seconds":60}' }),
  valid("GET", "/admin/keys"),
  valid("POST", "/admin/keys", { body: `{"key_id":"1234567","v_code":"${secretMark.padEnd(64, "v")}"}` }),
  valid("GET", "/admin/keys/1234567"),
  valid("PUT", "/admin/keys/1234567", { body: `{"v_code":"${secretMark.padEnd(64, "v")}"}` }),
  valid("DELETE", "/admin/keys/1234567"),
  valid("GET", "/admin/address", { query: "ip=203.0.113.1" }),
];

/** With a token that soon has sent all that it may: not many, since little else shows of them then. */
const limitedRequests: HttpCase[] = [
  valid("GET", "/api/v1/key", { query: "limit=2", headers: limited }),
  valid("POST", "/api/v1/key", { body: pair, headers: { ...limited, "content-type": form } }),
];

/** One of these most often leaves a request as it is, so that the others show. */
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
      "range",
      "x-amzn-trace-id",
      "__proto__",
      "constructor",
    ),
    hostileText,
  ),
  fc.oneof(fc.constantFrom(address, "evil.example", "GET", "gzip;q=nope, br", "*"), hostileText),
  { maxKeys: 4 },
);

const path = fc.oneof(
  hostileText.map((text) => `/api/v1/key/${text}`),
  hostileText.map((text) => `/api/${text}`),
  hostileText.map((text) => `/admin/tokens/${text}`),
  hostileText.map((text) => `/admin/keys/${text}`),
  hostileText.map((text) => `/admin/tokens/${text}/rotate`),
  hostileText.map((text) => `/api/documentation/${text}`),
  hostileText.map((text) => `/assets/${text}`),
  hostileText.map((text) => `/${text}`),
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

const query = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom("limit", "cursor", "ip", "token_id", "key_id"), hostileText),
      fc.oneof(fc.constantFrom("1", "1000", "1001", "MTIzNDU2Nw", "MTIzNDU2N", "gA", "____"), hostileText),
    ),
    { maxLength: 4 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join("&"));

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

/** What no gateway would send: the promise holds all the same. */
const tampered = fc.dictionary(fc.constantFrom("rawPath", "rawQueryString", "routeKey", "body"), hostileText, {
  maxKeys: 2,
});

export const httpCase: fc.Arbitrary<HttpCase> = fc
  .record({
    base: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...validRequests.filter(({ path }) => path.startsWith("/api/v1/"))) },
      { weight: 4, arbitrary: fc.constantFrom(...validRequests) },
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
