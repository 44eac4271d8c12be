import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { functionsOf } from "../../../infra/functions.ts";
import { api } from "../../../lambdas/api.ts";
import { incompatibleWith, readRelease, unpackRelease } from "../../../tools/release/release-folder.ts";
import { everyOption, keysRestored, synthesiseTemplates } from "../../support/stages.ts";
import { readTemplate, type Statement, statementsOf, type Template } from "../../support/template.ts";

const deployments = ["released", "present", "with a restored table", "with every option"] as const;
type Deployment = (typeof deployments)[number];

const policyType = "AWS::IAM::Policy";
let directory: string;
let templates: Record<Deployment, Template>;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "integration-api-rights-"));
  templates = {
    released: await readTemplate(await unpackRelease("service", directory)),
    present: await readTemplate(),
    "with a restored table": await readTemplate(await synthesiseTemplates(keysRestored)),
    "with every option": await readTemplate(await synthesiseTemplates(everyOption)),
  };
});
afterAll(() => rm(directory, { recursive: true }));

/**
 * The policies while CloudFormation updates a stack: it adds and changes policies first, and removes old ones last, by the name
 * in IAM.
 */
const whileUpdating = ({ from, to }: { from: Deployment; to: Deployment }): Template => {
  const policies = { ...templates[from].ofType(policyType), ...templates[to].ofType(policyType) };
  return { ...templates[to], ofType: (type) => (type === policyType ? policies : templates[to].ofType(type)) };
};

const names = functionsOf(api).flatMap(({ name, kind }) => (kind === "check" ? [] : [name]));

/** Returns a function's permissions, one string for each action on each resource. */
const rightsIn = (template: Template): Map<string, Set<string>> => {
  const textsOf = ({ actions, resource, condition }: Statement) =>
    actions.map((action) => [action, JSON.stringify(resource), condition && JSON.stringify(condition)].join(" "));
  const byFunction = Map.groupBy(statementsOf(template), ({ functionName }) => functionName);
  return new Map(names.map((name) => [name, new Set((byFunction.get(name) ?? []).flatMap(textsOf))]));
};

/** Returns a version's permissions that are not deployed, with the function's name. */
const missing = (deployed: Template, version: Template): string[] => {
  const granted = rightsIn(deployed);
  // A permission without a condition includes the one with the condition.
  const isGranted = (name: string, right: string) =>
    granted.get(name)?.has(right) || granted.get(name)?.has(`${right.split(" ").slice(0, 2).join(" ")} `);
  return [...rightsIn(version)].flatMap(([name, rights]) =>
    [...rights].filter((right) => !isGranted(name, right)).map((right) => `${name}: ${right}`),
  );
};

describe.each<{ from: Deployment; to: Deployment }>([
  { from: "released", to: "present" },
  { from: "present", to: "released" },
  { from: "present", to: "with a restored table" },
  { from: "with a restored table", to: "present" },
  { from: "present", to: "with every option" },
  { from: "with every option", to: "present" },
])("while a stack is updated from $from to $to", ({ from, to }) => {
  test("every function's old and new versions keep their permissions", () => {
    const deployed = whileUpdating({ from, to });

    expect(missing(deployed, templates[from])).toEqual([]);
    expect(missing(deployed, templates[to])).toEqual([]);
  });

  test("removes no policy that shares its name with a remaining one, and keeps each role's policies within the size limit", () => {
    const deployed = Object.entries(whileUpdating({ from, to }).ofType(policyType));
    const policies = deployed.map(([, { Properties }]) => Properties);

    // CloudFormation identifies a policy by its logical id, and IAM by this name.
    expect(policies.map(({ PolicyName }) => PolicyName)).toEqual(deployed.map(([id]) => id));
    // Parts of ARNs that are known only after deployment change a policy's length by a few hundred characters.
    for (const ofRole of Map.groupBy(policies, ({ Roles }) => JSON.stringify(Roles)).values()) {
      expect(JSON.stringify(ofRole.map(({ PolicyDocument }) => PolicyDocument)).length).toBeLessThan(9_000);
    }
  });
});

test("a function whose alias is rolled back to the last release has that release's permissions", async () => {
  expect(missing(templates.present, templates.released), incompatibleWith(await readRelease())).toEqual([]);
});
