import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import * as tables from "../../../lambdas/resources/tables.ts";
import { actionExamples, operationExamples } from "../../support/examples.ts";
import { type HttpCase, secretMark, type tokenNames } from "./case.ts";

/** The address that the tokens are bound to. */
export const address = "198.51.100.7";
export const json = "application/json";
export const form = "application/x-www-form-urlencoded";

const admin = { token_use: "access", username: "alice@example.com", "cognito:groups": "[Admin]" };

/** An example with an existing token and a recognisable secret. */
const filledIn = (text: string): string =>
  text
    .replaceAll(tables.tokens.example.token_id, "<<active:id>>")
    .replaceAll(tables.keys.example.v_code, secretMark.padEnd(64, "v"));

const request = (method: string, path: string, more: Partial<HttpCase> = {}): HttpCase => ({
  kind: "http",
  method,
  path,
  query: "",
  headers: {},
  sourceIp: address,
  ...more,
});

type Name = (typeof tokenNames)[number];

/** The examples of all endpoints, each with some tokens or invitations. */
const ofEndpoints = (namesFor: (endpoint: Endpoint) => Name[], isAtHome: boolean): HttpCase[] =>
  operationExamples().flatMap(({ operation: { endpoint }, request: { method, path, query, form: fields } }) =>
    namesFor(endpoint).map((name) =>
      request(method, decodeURIComponent(path), {
        query,
        headers: { accept: json, "x-token": `<<${name}>>`, ...(fields && { "content-type": form }) },
        ...(fields && { body: filledIn(new URLSearchParams(fields).toString()) }),
        ...(!isAtHome && endpoint.example.from !== undefined && { sourceIp: endpoint.example.from }),
      }),
    ),
  );

/** The examples of all endpoints. */
export const endpointRequests = ofEndpoints(({ credential, example }) => {
  if (credential === "invitation") return ["invited", "unaddressed"];
  return example.from === undefined ? ["active"] : ["active", "moving"];
}, false);

/** The examples of all endpoints, with a token or an invitation that soon reaches its limit. */
export const limitedRequests = ofEndpoints(
  ({ credential }) => [credential === "invitation" ? "invitedLimited" : "limited"],
  true,
);

/** The examples of all admin actions. */
export const adminRequests: HttpCase[] = actionExamples().map(({ request: { method, path, query, json: fields } }) =>
  request(method, filledIn(decodeURIComponent(path)), {
    query: filledIn(query),
    claims: admin,
    ...(fields && { headers: { "content-type": json }, body: filledIn(JSON.stringify(fields)) }),
  }),
);

const headers = { accept: json, "x-token": "<<active>>" };

/** Requests to the functions of the site and to the fallback. */
export const otherRequests: HttpCase[] = [
  request("PATCH", "/api/v1/key", { headers }),
  request("GET", "/api/documentation", { headers }),
  request("GET", "/api/documentation/api-docs.json", { headers }),
  request("GET", "/settings.json", { headers }),
];
