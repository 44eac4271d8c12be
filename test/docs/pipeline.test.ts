import { readFileSync } from "node:fs";
import { parseYaml } from "@redocly/openapi-core";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { readOptions } from "../../infra/stages/options.ts";
import { changes, paste } from "../../tools/support/paste.ts";
import { requirePrograms } from "../support/programs.ts";

const folder = new URL("../../examples/pipeline/", import.meta.url);
const read = (name: string): unknown => parseYaml(readFileSync(new URL(name, folder), "utf8"));

const inputs = z.object({ stage: z.string(), environment: z.string(), deploys: z.boolean() });
const workflow = z.object({
  permissions: z.record(z.string(), z.string()),
  concurrency: z.strictObject({ group: z.string() }),
  jobs: z.record(z.string(), z.object({ needs: z._default(z.array(z.string()), []), uses: z.string(), with: inputs })),
});
const step = z.object({ uses: z.optional(z.string()), run: z.optional(z.string()), if: z.optional(z.string()) });
const called = z.object({
  jobs: z.object({ cdk: z.object({ environment: z.string(), steps: z.array(step) }) }),
});
const role = z.object({
  Resources: z.object({
    Role: z.object({
      Properties: z.object({ AssumeRolePolicyDocument: z.object({ Statement: z.array(z.unknown()) }) }),
    }),
    DeployPolicy: z.unknown(),
    ReadPolicy: z.unknown(),
  }),
});

/** In the notation of workflows and templates. */
const placeholder = (name: string) => `$\{${name}}`;

describe("the pipeline", () => {
  const { jobs, permissions } = workflow.parse(read("deploy.yml"));
  const { environment, steps } = called.parse(read("deploy-stage.yml")).jobs.cdk;
  beforeEach((context) => requirePrograms(context, "bash", "jq"));

  test("deploys to staging and then prod, after showing the changes, each in a separate environment", () => {
    expect(permissions).toEqual({});
    expect(Object.entries(jobs).map(([name, { needs, with: given }]) => [name, needs, Object.values(given)])).toEqual([
      ["staging", [], ["staging", "staging", true]],
      ["changes", [], ["prod", "prod-changes", false]],
      ["prod", ["staging", "changes"], ["prod", "prod", true]],
    ]);
    expect(environment).toBe(placeholder("{ inputs.environment }"));
    for (const { with: given } of Object.values(jobs)) {
      expect(() => readOptions({ stage: given.stage }, [])).not.toThrow();
    }
  });

  test("requests credentials after everything is installed, and changes something only in the deployment step", async () => {
    const kinds = steps.map(({ uses, run = "" }) => uses?.replace(/@.*/, "") ?? run.split(" ").slice(0, 3).join(" "));

    expect(kinds.indexOf("aws-actions/configure-aws-credentials")).toBeGreaterThan(kinds.indexOf("npm ci"));
    for (const { run, if: condition } of steps) {
      if (run === undefined) continue;
      const block = { document: "deploy-stage.yml", line: 0, language: "sh", text: `${run}\n`, functions: new Map() };
      const { calls } = await paste(block);
      const made = calls.filter(changes).map(({ words }) => words.join(" "));
      const deployment = "npx cdk deploy --all --require-approval never -c stage=value";
      expect(made).toEqual(condition === "inputs.deploys" ? [deployment] : []);
      if (/\bcdk\b/.test(run)) expect((await paste(block, { empty: "STAGE" })).calls, run).toEqual([]);
    }
  });

  test("uses roles that only one environment of one repository can assume, to deploy or to read templates", () => {
    const { Role, DeployPolicy, ReadPolicy } = role.parse(read("role.yml")).Resources;
    const issuer = "token.actions.githubusercontent.com";

    expect(Role.Properties.AssumeRolePolicyDocument.Statement).toEqual([
      {
        Effect: "Allow",
        Action: "sts:AssumeRoleWithWebIdentity",
        Principal: { Federated: { "Fn::If": ["CreatesProvider", { Ref: "GitHub" }, { Ref: "Provider" }] } },
        Condition: {
          StringEquals: {
            [`${issuer}:aud`]: "sts.amazonaws.com",
            [`${issuer}:sub`]: {
              "Fn::Sub": `repo:${placeholder("Repository")}:environment:${placeholder("Environment")}`,
            },
          },
        },
      },
    ]);
    expect(JSON.stringify(DeployPolicy).match(/sts:\w+|role\/cdk-[^"]*?-role/g)).toEqual([
      "sts:AssumeRole",
      `role/cdk-${placeholder("Qualifier")}-deploy-role`,
      `role/cdk-${placeholder("Qualifier")}-file-publishing-role`,
    ]);
    expect(
      JSON.stringify(ReadPolicy)
        .match(/"[a-z]+:[A-Z]\w+"/g)
        ?.join(),
    ).not.toMatch(/:(?!Describe|Get|List)|dynamodb|sts/);
  });
});
