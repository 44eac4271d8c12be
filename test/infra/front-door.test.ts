import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { functionsOf } from "../../infra/functions.ts";
import { stages } from "../../infra/stages/stage.ts";
import { api } from "../../lambdas/api.ts";
import { everyOption, synthesiseWith } from "../support/stages.ts";
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
  withEverything = await readTemplate(await synthesiseWith(everyOption));
});

const stageOf = ({ ofType }: Template) => {
  const [stage] = Object.values(ofType("AWS::ApiGatewayV2::Stage"));
  return { DependsOn: stage?.DependsOn, Properties: stageShape.parse(stage?.Properties) };
};
const routeKeysOf = (name: string) =>
  functionsOf(api)
    .filter((declared) => declared.name === name)
    .flatMap(({ routeKeys }) => routeKeys.map(({ key }) => key));

describe("the throttles", () => {
  test("let the endpoints through as the stage has it", () => {
    const { requestsPerSecond, burst } = stages.prod.throttles.endpoint;

    expect(stageOf(template).Properties.DefaultRouteSettings).toEqual({
      ThrottlingRateLimit: requestsPerSecond,
      ThrottlingBurstLimit: burst,
    });
  });

  test.each(["fallback", "site", "admin"] as const)("are tighter on every route of the %s function", (name) => {
    const { DefaultRouteSettings, RouteSettings } = stageOf(template).Properties;

    for (const key of routeKeysOf(name)) {
      expect(RouteSettings[key]?.ThrottlingRateLimit).toBe(stages.prod.throttles[name].requestsPerSecond);
      expect(RouteSettings[key]?.ThrottlingRateLimit).toBeLessThan(DefaultRouteSettings.ThrottlingRateLimit);
    }
  });

  test("wait for the routes that they are of, which API Gateway asks for", () => {
    const routes = Object.keys(template.ofType("AWS::ApiGatewayV2::Route"));

    expect(stageOf(template).DependsOn).toEqual(expect.arrayContaining(routes));
  });
});

describe("the access log", () => {
  test("is a line of JSON with what happened, and nothing that a client wrote", () => {
    const { AccessLogSettings } = stageOf(template).Properties;

    expect(Object.keys(JSON.parse(AccessLogSettings.Format))).toEqual(
      expect.arrayContaining(["request_id", "route", "status", "latency_ms", "integration_error", "source_ip"]),
    );
    expect(AccessLogSettings.Format).not.toMatch(/path|header|query|userAgent|protocol/i);
  });
});

describe("the functions of the doors", () => {
  test("cannot take the concurrency that the endpoints live on", () => {
    const caps = Object.fromEntries(
      Object.values(template.ofType("AWS::Lambda::Function")).flatMap(({ Properties, Metadata }) =>
        Properties.ReservedConcurrentExecutions === undefined
          ? []
          : [[String(Metadata["aws:cdk:path"]).split("/")[1], Properties.ReservedConcurrentExecutions]],
      ),
    );

    expect(caps).toEqual(stages.prod.concurrencyCaps);
  });
});

describe("a name of the service's own", () => {
  test("leads to the stage without a mapping key, which would be cut off the paths", () => {
    const [mapping] = Object.values(withEverything.ofType("AWS::ApiGatewayV2::ApiMapping"));

    expect(mapping?.Properties).not.toHaveProperty("ApiMappingKey");
    expect(withEverything.ofType("AWS::ApiGatewayV2::DomainName")).not.toEqual({});
    expect(withEverything.outputs).toMatchObject({ BaseUrl: { Value: "https://api.example.com" } });
  });

  test("and the API answer on IPv6 too where that is asked for, and nowhere else", () => {
    const addressTypes = ({ ofType }: Template) =>
      [...Object.values(ofType("AWS::ApiGatewayV2::Api"))].map(({ Properties }) => Properties.IpAddressType);

    expect(addressTypes(withEverything)).toEqual(["dualstack"]);
    expect(addressTypes(template)).toEqual(["ipv4"]);
  });
});

describe("environments that are kept ready", () => {
  test("are those of the endpoints, where they are asked for, and none by default", () => {
    const ready = ({ ofType }: Template) =>
      Object.values(ofType("AWS::Lambda::Alias")).flatMap(({ Properties, Metadata }) =>
        Properties.ProvisionedConcurrencyConfig ? [String(Metadata["aws:cdk:path"]).split("/")[1]] : [],
      );

    expect(ready(template)).toEqual([]);
    expect(ready(withEverything).toSorted()).toEqual(
      functionsOf(api)
        .map(({ name }) => name)
        .filter((name) => name.startsWith("v1-"))
        .toSorted(),
    );
  });
});
