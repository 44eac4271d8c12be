import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { functionsOf } from "../../infra/functions.ts";
import { concurrencyCaps, stageNames, stages } from "../../infra/stages/stage.ts";
import { api } from "../../lambdas/api.ts";
import { unpackAssembly } from "../../tools/upgrade/release-folder.ts";
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
let released: Template;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "integration-api-release-"));
  released = await readTemplate(await unpackAssembly(folder));
  await rm(folder, { recursive: true });
  template = await readTemplate();
  withEverything = await readTemplate(await synthesiseTemplates(everyOption));
});

const stageOf = ({ ofType }: Template) => {
  const [stage] = Object.values(ofType("AWS::ApiGatewayV2::Stage"));
  return { DependsOn: stage?.DependsOn, Properties: stageShape.parse(stage?.Properties) };
};
const routesOf = ({ ofType }: Template) =>
  Object.values(ofType("AWS::ApiGatewayV2::Route")).map(({ Properties }) => Properties.RouteKey);

describe("the throttles", () => {
  test("of the endpoints are those that the stage configures", () => {
    const { requestsPerSecond, burst } = stages.prod.throttles.endpoint;

    expect(stageOf(template).Properties.DefaultRouteSettings).toEqual({
      ThrottlingRateLimit: requestsPerSecond,
      ThrottlingBurstLimit: burst,
    });
  });

  test("have one exception, on the route that every release has: settings of a removed route would block the stage", () => {
    const { requestsPerSecond, burst } = stages.prod.throttles.fallback;
    const throttle = { ThrottlingRateLimit: requestsPerSecond, ThrottlingBurstLimit: burst };
    expect(stageOf(template).Properties.RouteSettings).toEqual({ $default: throttle });
    expect(routesOf(released)).toContain("$default");
  });

  test("of earlier releases stay behind, so their routes must not go while a deployment may still have such settings", () => {
    expect(routesOf(template)).toEqual(expect.arrayContaining(Object.keys(stageOf(released).Properties.RouteSettings)));
  });

  test("leave room for the endpoints in an account that runs ten functions at once, whatever a scanner does", () => {
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

describe("the access log", () => {
  test("is a line of JSON for each request, without any text from the client", () => {
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
});

describe("reserved concurrency", () => {
  const reserved = ({ ofType }: Template): Record<string, unknown> =>
    Object.fromEntries(
      Object.values(ofType("AWS::Lambda::Function")).flatMap(({ Properties, Metadata }) =>
        Properties.ReservedConcurrentExecutions === undefined
          ? []
          : [[String(Metadata["aws:cdk:path"]).split("/")[1], Properties.ReservedConcurrentExecutions]],
      ),
    );

  const { reserveConcurrency: _, ...everythingElse } = everyOption;

  test.each([...stageNames.map((stage) => ({ stage })), everythingElse])(
    "is not asked for, so that a new account accepts the deployment: $stage",
    async (options) => {
      expect(reserved(await readTemplate(await synthesiseTemplates(options)))).toEqual({});
    },
  );

  test("if asked for, caps every function but the endpoints and the version check, which share the rest", () => {
    const capped = functionsOf(api).filter(({ kind }) => kind !== "endpoint" && kind !== "check");

    expect(reserved(withEverything)).toEqual(concurrencyCaps);
    expect(Object.keys(concurrencyCaps).toSorted()).toEqual(capped.map(({ name }) => name).toSorted());
  });
});

describe("a domain name", () => {
  test("is mapped to the stage without a mapping key, which would be removed from the paths", () => {
    const [mapping] = Object.values(withEverything.ofType("AWS::ApiGatewayV2::ApiMapping"));

    expect(mapping?.Properties).not.toHaveProperty("ApiMappingKey");
    expect(withEverything.ofType("AWS::ApiGatewayV2::DomainName")).not.toEqual({});
    expect(withEverything.outputs).toMatchObject({ BaseUrl: { Value: "https://api.example.com" } });
  });

  test("and the API support IPv6 only if the option is set", () => {
    const addressTypes = ({ ofType }: Template) =>
      [...Object.values(ofType("AWS::ApiGatewayV2::Api"))].map(({ Properties }) => Properties.IpAddressType);

    expect(addressTypes(withEverything)).toEqual(["dualstack"]);
    expect(addressTypes(template)).toEqual(["ipv4"]);
  });
});

describe("provisioned concurrency", () => {
  test("is given only to the endpoints, and only if the option is set", () => {
    const ready = ({ ofType }: Template) =>
      Object.values(ofType("AWS::Lambda::Alias")).flatMap(({ Properties, Metadata }) =>
        Properties.ProvisionedConcurrencyConfig ? [String(Metadata["aws:cdk:path"]).split("/")[1]] : [],
      );

    expect(ready(template)).toEqual([]);
    expect(ready(withEverything).toSorted()).toEqual(
      functionsOf(api)
        .filter(({ kind }) => kind === "endpoint")
        .map(({ name }) => name)
        .toSorted(),
    );
  });
});
