import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readOptions } from "../../infra/stages/options.ts";
import { readSharedOutputs } from "../../tools/upgrade/data-stacks.ts";
import { releasedOutputs } from "../../tools/upgrade/release-folder.ts";
import { describeOptions, optionSets, synthesiseTemplates } from "../support/stages.ts";

const records = await releasedOutputs();

const advice =
  "An API's stack of this release needs these outputs of the data stack. If they go or change, CloudFormation refuses the next " +
  "deployment, or the release can no longer be returned to. Keep them (infra/data-stack.ts), or remove the " +
  "release's record from tools/upgrade/release/outputs.json if nobody will return to it: see docs/decisions/safe-change.md.";

test("every release has a record of what it needs from the data stack", async () => {
  const changelog = await readFile(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  const releases = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, release]) => release);

  expect(releases).not.toEqual([]);
  expect(new Set(records.map(({ release }) => release)), "Run npm run record-release.").toEqual(new Set(releases));
});

describe.each(optionSets.map((options) => ({ options, title: describeOptions(options) })))(
  "a data stack with $title",
  ({ options }) => {
    test("shares all that released versions need, under the same names and with the same values", async () => {
      const { stage } = readOptions(options);
      const shared = await readSharedOutputs(await synthesiseTemplates(options));

      const needed = records.filter((record) =>
        Object.entries(record.options).every(([name, value]) => options[name] === value),
      );
      expect(needed).not.toEqual([]);
      for (const { release, outputs } of needed) {
        const kept = Object.fromEntries(Object.keys(outputs).map((name) => [name, shared[name]?.value]));
        expect(kept, `Release ${release}. ${advice}`).toEqual(outputs);
        for (const name of Object.keys(outputs).filter((output) => output.startsWith("Exports"))) {
          expect(shared[name]?.exportName).toBe(`IntegrationApi-${stage.name}-data:${name}`);
        }
      }
    });
  },
);
