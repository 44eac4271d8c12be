import { describe, expect, test } from "vitest";
import { guardedOptions, tableOption } from "../../infra/stages/general-options.ts";
import { storeNames } from "../../lambdas/domain/built-in-stores.ts";
import { everyOption, everyTableRestored, type OptionSet, synthesiseTemplates } from "../support/stages.ts";
import { readTemplate } from "../support/template.ts";

const stacks = ["IntegrationApiData", "IntegrationApi"];

const resourcesOf = async (options: OptionSet, stack: string) =>
  (await readTemplate(await synthesiseTemplates(options), stack)).resources;

/** Matches the guard's own resources. */
const ofGuard = /^options-?guard|^OptionsGuard/i;

describe.each(stacks)("in the stack %s", (stack) => {
  test.each([
    ["prod", {}],
    ["prod", everyOption],
    ["dev", {}],
  ])("makes everything of %s depend on the options guard", async (stage, options) => {
    const resources = await resourcesOf({ ...options, stage }, stack);

    const others = Object.entries(resources).filter(([id]) => !ofGuard.test(id));
    expect(others.length).toBeGreaterThan(5);
    for (const [id, { DependsOn }] of others) expect(DependsOn, id).toContain("OptionsGuard");
  });
});

test("the guards know every option that must not be dropped", async () => {
  const optionsIn = (options: OptionSet) =>
    Promise.all(
      stacks.map(async (stack) => Object((await resourcesOf(options, stack)).OptionsGuard?.Properties.Options)),
    );
  const all = await optionsIn({ ...everyOption, requireMfa: "true" });
  const restored = await optionsIn(everyTableRestored);

  for (const [index, one = {}] of all.entries()) {
    expect(one).toMatchObject({
      domainName: everyOption.domainName,
      noticeEmail: everyOption.noticeEmail,
      dualStack: "true",
    });
    const known = new Set([one, restored[index] ?? {}].flatMap((each) => Object.keys(each)));
    expect(known).toEqual(new Set([...guardedOptions, ...storeNames.map(tableOption)]));
  }
  expect(await optionsIn({ stage: "staging" })).toEqual([{}, {}]);
});

test("the guard of the data stack knows its tables, and which indexes the functions of the other stack use", async () => {
  const { OptionsGuard } = await resourcesOf({ stage: "prod" }, "IntegrationApiData");
  const { outputs } = await readTemplate(await synthesiseTemplates({ stage: "prod" }));

  expect(OptionsGuard?.Properties).toMatchObject({
    ApiStack: "IntegrationApi-prod",
    Tables: {
      limits: { "table key": "minute_id:S" },
      tokens: { by_issuer: "issuer:S trusted_until:S []" },
    },
  });
  expect(outputs.IndexesInUse).toMatchObject({
    Value: "history.by_change,keys.by_change,tokens.by_change,tokens.by_issuer",
  });
});

test("the data stack of an import does not depend on the guard, which the import omits", async () => {
  const resources = await resourcesOf({ stage: "prod", forImport: "true" }, "IntegrationApiData");

  for (const [id, { DependsOn }] of Object.entries(resources)) expect(DependsOn, id).not.toContain("OptionsGuard");
});
