import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, test, vi } from "vitest";
import * as z from "zod/mini";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import type { Endpoint } from "../../lambdas/declaration/endpoint.ts";
import { resource, type Service, service } from "../../lambdas/declaration/service.ts";
import { keys } from "../../lambdas/v1/keys.ts";
import { tokens } from "../../lambdas/v1/tokens.ts";
import { incompatibleWith, readRelease, unpackRelease } from "../../tools/release/release-folder.ts";
import { chainsOf, readDeployment } from "../support/deployment-order.ts";
import { synthesiseStacks } from "../support/synthesise-stacks.ts";
import { readTemplate, type Template } from "../support/template.ts";

interface Stack extends Template {
  /** Returns the number of entries in a section of the template. */
  sizeOf(section: string): number;
}

const readStack = async (folder: string, stack = "IntegrationApi"): Promise<Stack> => {
  const template = await readTemplate(folder, stack);
  const sections: Record<string, object | undefined> = JSON.parse(template.text);
  return { ...template, sizeOf: (section) => Object.keys(sections[section] ?? {}).length };
};

const ofType = (stack: Stack, type: string) =>
  Object.entries(stack.ofType(`AWS::${type}`)).map(([id, one]) => ({ id, ...one }));

/** The maximum number of endpoints in a resource's stack. */
const endpointsInStack = 36;

const versionCount = 3;

/**
 * Returns a service with this many endpoints in three versions: this project's own service, and copies of its key endpoints in
 * resources of `inResource` endpoints each.
 */
const manyEndpoints = (count: number, inResource = endpointsInStack): Service => {
  const originals = Object.entries<Endpoint>(keys.endpoints);
  const ownCount = [tokens, keys].flatMap(({ endpoints }) => Object.keys(endpoints)).length;
  const copies = Array.from({ length: count - ownCount }, (_, index) => {
    const [name, endpoint] = originals[index % originals.length] ?? ["", keys.endpoints.getKey];
    const path = `/key${index}${endpoint.path.replace("/key", "")}` as const;
    return [`${name}${index}`, { ...endpoint, path }] as const;
  });
  const groups = Object.values(Object.groupBy(copies, (_, index) => `group ${Math.floor(index / inResource)}`));
  const resources = groups.map((group = [], index) =>
    resource({ name: `keys${index}`, folder: "", endpoints: Object.fromEntries(group), tables: keys.tables }),
  );
  const inVersion = (version: number) => resources.filter((_, index) => index % versionCount === version);
  return service({
    ...api,
    title: `${count} endpoints`,
    versions: { v1: [tokens, keys, ...inVersion(0)], v2: inVersion(1), v3: inVersion(2) },
  });
};

/** The API stack and its nested stacks, with 200 endpoints in three versions. */
let own: Stack;
let nested: Stack[];
let all: Stack[];
let deployment: Awaited<ReturnType<typeof readDeployment>>;
beforeAll(async () => {
  vi.stubEnv("CDK_VALIDATION", "false");
  const folder = await mkdtemp(join(tmpdir(), "integration-api-many-"));
  await synthesiseStacks({ stage: "prod", monitoring: "full" }, folder, manyEndpoints(200));
  own = await readStack(folder);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".nested.template.json"));
  nested = await Promise.all(files.map((file) => readStack(folder, file.replace(".template.json", ""))));
  all = [own, ...nested];
  deployment = await readDeployment(folder, "IntegrationApi");
  await rm(folder, { recursive: true });
});

/** As long as the longest function name with its region and the qualifier of a version or an alias. */
const functionArn = `arn:aws:lambda:ap-southeast-1:123456789012:function:${"f".repeat(64)}`;
const arns: Readonly<Record<string, string>> = {
  "AWS::Lambda::Function": functionArn,
  "AWS::Lambda::Version": `${functionArn}:1234`,
  "AWS::Lambda::Alias": `${functionArn}:live`,
};

/** Replaces expressions by text of realistic length. */
const resolved = ({ resources }: Stack, value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, part) => {
    const join = part?.["Fn::Join"];
    if (Array.isArray(join)) return join[1].join("");
    const id = part?.Ref ?? part?.["Fn::GetAtt"]?.[0] ?? part?.["Fn::ImportValue"];
    if (id === undefined) return part;
    return arns[resources[id]?.Type ?? ""] ?? "x".repeat(id.startsWith("AWS::") ? 14 : 120);
  });

const policyShape = z.object({ Roles: z.array(z.unknown()), PolicyDocument: z.unknown() });
const roleShape = z.object({ Policies: z._default(z.array(z.object({ PolicyDocument: z.unknown() })), []) });

/** Returns the number of characters in each role's policies. */
const policySizes = (stack: Stack): number[] =>
  ofType(stack, "IAM::Role").map(({ id, Properties }) => {
    const attached = ofType(stack, "IAM::Policy")
      .map((policy) => policyShape.parse(policy.Properties))
      .filter(({ Roles }) => JSON.stringify(Roles) === JSON.stringify([{ Ref: id }]));
    return [...attached, ...roleShape.parse(Properties).Policies]
      .map(({ PolicyDocument }) => JSON.stringify(resolved(stack, PolicyDocument)).length)
      .reduce((sum, length) => sum + length, 0);
  });

const widgetShape = z.object({
  alarms: z._default(z.array(z.unknown()), []),
  metrics: z._default(z.array(z.unknown()), []),
});

const widgetsOf = (stack: Stack) => {
  const [dashboard] = ofType(stack, "CloudWatch::Dashboard");
  const { DashboardBody } = z.object({ DashboardBody: z.string() }).parse(resolved(stack, dashboard?.Properties));
  return z
    .object({ widgets: z.array(z.object({ properties: widgetShape })) })
    .parse(JSON.parse(DashboardBody))
    .widgets.map((widget) => widget.properties);
};

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
const inAll = (type: string) => all.flatMap((stack) => ofType(stack, type));

test("200 endpoints in three versions stay below 90 % of each limit", ({ task }) => {
  const metrics = widgetsOf(own).map((widget) => widget.metrics.length);
  const figures: [what: string, largest: number, limit: number][] = [
    ["resources of a stack", Math.max(...all.map(({ sizeOf }) => sizeOf("Resources"))), 500],
    ["resources of one deployment", sum(all.map(({ sizeOf }) => sizeOf("Resources"))), 2_500],
    ["outputs", Math.max(...all.map(({ sizeOf }) => sizeOf("Outputs"))), 200],
    ["parameters", Math.max(...all.map(({ sizeOf }) => sizeOf("Parameters"))), 200],
    ["bytes of a template", Math.max(...all.map(({ text }) => Buffer.byteLength(text))), 1_000_000],
    ["routes", inAll("ApiGatewayV2::Route").length, 300],
    ["integrations", inAll("ApiGatewayV2::Integration").length, 300],
    ["characters of a role's policies", Math.max(...all.flatMap(policySizes)), 10_240],
    ["metric filters of a log", inAll("Logs::MetricFilter").length, 100],
    ["roles of an account", inAll("IAM::Role").length, 1_000],
    ["deployment groups of an application", inAll("CodeDeploy::DeploymentGroup").length, 1_000],
    ["alarms of a widget", Math.max(...widgetsOf(own).map((widget) => widget.alarms.length)), 100],
    ["metrics of a graph", Math.max(...metrics), 500],
    ["metrics of a dashboard", sum(metrics), 2_500],
  ];

  task.meta.summary = figures.map(([what, largest, limit]) => `${largest} of ${limit} ${what}`).join(", ");
  expect(figures.filter(([, largest, limit]) => largest >= 0.9 * limit)).toEqual([]);
});

test("a deployment shifts at most ten functions at a time, and checks new versions one after another", () => {
  expect(inAll("Lambda::Alias").length).toBeGreaterThan(200);
  expect(chainsOf(deployment, "AWS::Lambda::Alias")).toBe(10);
  expect(chainsOf(deployment, "AWS::CloudFormation::CustomResource")).toBe(1);
});

describe("with nested stacks", () => {
  test("resources that are also deployed without them, and the last release's routes, stay where they are", async () => {
    const folder = await mkdtemp(join(tmpdir(), "integration-api-release-"));
    const released = await readStack(await unpackRelease("service", folder));
    await rm(folder, { recursive: true });
    const { resources } = await readTemplate(inject("assemblyDirectory"), "IntegrationApi");

    for (const [id, { Type }] of Object.entries(resources)) {
      // Versions are named after their code.
      if (Type !== "AWS::Lambda::Version") expect(own.resources[id]?.Type, id).toBe(Type);
    }
    const moved = ofType(released, "ApiGatewayV2::Route").filter(({ id }) => !own.resources[id]);
    expect(moved, incompatibleWith(await readRelease())).toEqual([]);
    const routes = inAll("ApiGatewayV2::Route").map(({ Properties }) => Properties.RouteKey);
    expect(new Set(routes).size).toBe(routes.length);
  });

  test("alarms and deployment groups have unique names, and the dashboard shows every alarm", () => {
    for (const [type, name] of [
      ["CloudWatch::Alarm", "AlarmName"],
      ["CodeDeploy::DeploymentGroup", "DeploymentGroupName"],
    ] as const) {
      const names = inAll(type).map(({ Properties }) => Properties[name]);
      expect(names).toEqual(names.map(() => expect.any(String)));
      expect(new Set(names).size).toBe(names.length);
    }
    expect(sum(widgetsOf(own).map((widget) => widget.alarms.length))).toBe(inAll("CloudWatch::Alarm").length);
  });

  test("each stack has its own permissions, and a check that all its new versions must pass", () => {
    for (const stack of nested) {
      const [checked] = ofType(stack, "CloudFormation::CustomResource");
      const ids = (type: string) => ofType(stack, type).map(({ id }) => ({ Ref: id }));
      const { Versions } = z.object({ Versions: z.record(z.string(), z.unknown()) }).parse(checked?.Properties);
      expect(Object.values(Versions)).toEqual(expect.arrayContaining(ids("Lambda::Version")));
      for (const alias of ofType(stack, "Lambda::Alias")) expect(alias.DependsOn).toContain(checked?.id);

      const [gateway] = ofType(stack, "IAM::Policy").filter(({ id }) => id.startsWith("Gateway"));
      const { PolicyDocument } = policyShape.parse(gateway?.Properties);
      expect(PolicyDocument).toMatchObject({
        Statement: [{ Action: "lambda:InvokeFunction", Resource: expect.any(Array) }],
      });
      expect(PolicyDocument).toMatchObject({ Statement: [{ Resource: expect.arrayContaining(ids("Lambda::Alias")) }] });
      for (const route of ofType(stack, "ApiGatewayV2::Route")) expect(route.DependsOn).toContain(gateway?.id);
      expect(ofType(stack, "Lambda::Permission")).toEqual([]);
    }
  });

  test("rejects a resource with too many endpoints for its stack, and says what to do", async () => {
    vi.stubEnv("CDK_VALIDATION", "false");
    const crowded = manyEndpoints(12 + endpointsInStack + 1, endpointsInStack + 1);

    await expect(synthesiseStacks({ stage: "prod" }, join(tmpdir(), "never"), crowded)).rejects.toThrow(
      "v1-keys0 has 37 endpoints, but its stack has room for 36. Declare the new ones in a resource of their own",
    );
  });

  test.each(["getKey", "againVersionCheck"])(
    "rejects the name %s, because the alarms of two functions would collide",
    (name) => {
      const { unnestedIn: _, ...nested } = keys;
      const again = resource({
        ...nested,
        name: "again",
        endpoints: { [name]: { ...keys.endpoints.getKey, path: "/again/{key_id}" } },
      });

      expect(() => functionsOf(service({ ...api, versions: { v1: [keys, again] } }))).toThrow(
        /^Two functions have the name v1-(get-key|again-version-check): rename an endpoint or a job\.$/,
      );
    },
  );
});
