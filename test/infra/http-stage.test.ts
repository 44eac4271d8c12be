import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type FunctionDeclaration, functionsOf } from "../../infra/functions.ts";
import { concurrencyCaps, stageNames, stages } from "../../infra/stages/stage.ts";
import { api } from "../../lambdas/api.ts";
import { everyOption, synthesiseTemplates } from "../support/stages.ts";
import { readTemplate, type Template } from "../support/template.ts";

const throttle = z.object({ ThrottlingRateLimit: z.number(), ThrottlingBurstLimit: z.number() });
const stageShape = z.object({
  AccessLogSettings: z.object({ Format: z.string(), DestinationArn: z.unknown() }),
  DefaultRouteSettings: throttle,
  RouteSettings: z.record(z.string(), throttle),
});

let template: Template;
let withEverything: Template;
beforeAll(async () => {
  template = await readTemplate();
  withEverything = await readTemplate(await synthesiseTemplates(everyOption));
});

const stageOf = ({ ofType }: Template) => {
  const [stage] = Object.values(ofType("AWS::ApiGatewayV2::Stage"));
  return { DependsOn: stage?.DependsOn, Properties: stageShape.parse(stage?.Properties) };
};

describe("the throttles", () => {
  test("have one exception, for the default route, because settings of a removed route would block the stage", () => {
    const { requestsPerSecond, burst } = stages.prod.throttles.fallback;
    const throttle = { ThrottlingRateLimit: requestsPerSecond, ThrottlingBurstLimit: burst };
    expect(stageOf(template).Properties.RouteSettings).toEqual({ $default: throttle });
  });

  test("are low enough to leave endpoints some of an account's ten concurrent executions, whatever a scanner does", () => {
    const { requestsPerSecond, burst } = stages.prod.throttles.fallback;

    expect(burst).toBeLessThanOrEqual(concurrencyCaps.fallback);
    // Even if each call took a tenth of a second.
    expect(requestsPerSecond * 0.1).toBeLessThan(1);
  });

  test("are created after their routes, as API Gateway requires", () => {
    const routes = Object.keys(template.ofType("AWS::ApiGatewayV2::Route"));

    expect(stageOf(template).DependsOn).toEqual(expect.arrayContaining(routes));
  });
});

test("the access log writes one JSON line per request without client-supplied text", () => {
  const { AccessLogSettings } = stageOf(template).Properties;

  // The fields that metrics, queries and the runbook use.
  expect(JSON.parse(AccessLogSettings.Format)).toMatchObject({
    request_id: "$context.requestId",
    source_ip: "$context.identity.sourceIp",
    route: "$context.routeKey",
    status: "$context.status",
    latency_ms: "$context.responseLatency",
    lambda_request_id: "$context.integration.requestId",
    integration_status: "$context.integration.integrationStatus",
    integration_error: "$context.integrationErrorMessage",
  });
  expect(AccessLogSettings.Format).not.toMatch(/path|header|query|userAgent|protocol/i);
});

/** Returns the construct ids of the resources of a type with a property, and the property's values. */
const valuesOf = ({ ofType }: Template, type: string, property: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.values(ofType(type)).flatMap(({ Properties, Metadata }) =>
      Properties[property] === undefined
        ? []
        : [[String(Metadata["aws:cdk:path"]).split("/")[1], Properties[property]]],
    ),
  );

const concurrencyOf = (template: Template) => ({
  reserved: valuesOf(template, "AWS::Lambda::Function", "ReservedConcurrentExecutions"),
  provisioned: Object.keys(valuesOf(template, "AWS::Lambda::Alias", "ProvisionedConcurrencyConfig")).toSorted(),
});
const namesOf = (isWanted: (kind: FunctionDeclaration["kind"]) => boolean) =>
  functionsOf(api)
    .filter(({ kind }) => isWanted(kind))
    .map(({ name }) => name)
    .toSorted();

describe("concurrency", () => {
  const { reserveConcurrency: _, provisionedConcurrency: __, ...everythingElse } = everyOption;

  test.each([...stageNames.map((stage) => ({ stage })), everythingElse])(
    "is neither reserved nor provisioned by default, so that a new account accepts the deployment: $stage",
    async (options) => {
      const synthesised = await readTemplate(await synthesiseTemplates(options));

      expect(concurrencyOf(synthesised)).toEqual({ reserved: {}, provisioned: [] });
    },
  );

  test("on request, is provisioned for endpoints and reserved for every function except endpoints and the check", () => {
    expect(concurrencyOf(withEverything)).toEqual({
      reserved: concurrencyCaps,
      provisioned: namesOf((kind) => kind === "endpoint"),
    });
    expect(Object.keys(concurrencyCaps).toSorted()).toEqual(namesOf((kind) => kind !== "endpoint" && kind !== "check"));
  });
});

describe("a domain name", () => {
  test("is mapped to the stage without a mapping key, because the key would be removed from paths", () => {
    const [mapping] = Object.values(withEverything.ofType("AWS::ApiGatewayV2::ApiMapping"));

    expect(mapping?.Properties).not.toHaveProperty("ApiMappingKey");
    expect(withEverything.ofType("AWS::ApiGatewayV2::DomainName")).not.toEqual({});
    expect(withEverything.outputs).toMatchObject({ BaseUrl: { Value: "https://api.example.com" } });
  });

  test("and the API support IPv6 only if the option is set", () => {
    const addressTypes = (from: Template) => Object.values(valuesOf(from, "AWS::ApiGatewayV2::Api", "IpAddressType"));

    expect(addressTypes(withEverything)).toEqual(["dualstack"]);
    expect(addressTypes(template)).toEqual(["ipv4"]);
  });

  test("replaces the API's own address only if the option is set", () => {
    const isClosed = (from: Template) =>
      Object.values(valuesOf(from, "AWS::ApiGatewayV2::Api", "DisableExecuteApiEndpoint"));

    expect(isClosed(withEverything)).toEqual([true]);
    expect(isClosed(template)).toEqual([false]);
  });
});
