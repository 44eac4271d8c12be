import { execFile } from "node:child_process";
import { describe, expect, inject, test } from "vitest";
import { conduct } from "../../../tools/lab/conduct.ts";
import { experiments } from "../../../tools/lab/experiments.ts";

describe.each(Object.entries(experiments))("the smoke test of %s", (_, experiment) => {
  const seed = Date.now() % 1e9;
  const surroundings = { assemblyDirectory: inject("assemblyDirectory") };
  const smoke = async (plant?: string): Promise<readonly string[]> => {
    return (await conduct(experiment, { seed, isSmoke: true, ...(plant && { plant }) }, surroundings)).problems;
  };

  test("reports no findings", async () => {
    expect(await smoke(), `with --seed ${seed}`).toEqual([]);
  });

  const plants = Object.entries(experiment.smokePlants ?? {});
  test.skipIf(plants.length === 0).each(plants)("detects the planted bug: %s", async (plant, finding) => {
    expect(await smoke(plant)).toEqual(expect.arrayContaining([expect.stringMatching(finding)]));
  });
});

/** Runs `npm run lab -- …`. */
const lab = (...words: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ["tools/lab/lab.ts", ...words], (error, stdout, stderr) => {
      resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr });
    });
  });

test("the command lists all experiments and their options", async () => {
  const { stdout } = await lab();
  for (const [name, { summary }] of Object.entries(experiments)) expect(stdout).toContain(`\n${name}\n  ${summary}\n`);
  for (const words of ["--seconds N ", "--plant NAME ", "--smoke "]) expect(stdout).toContain(words);
});

test.each([
  [["--smoke"], { exitCode: 0, stdout: expect.stringContaining("life-cycle: nothing found") }],
  [
    ["--smoke", "--plant", "attempts are not counted"],
    {
      exitCode: 1,
      stderr: expect.stringMatching(/^The real functions differ/),
      stdout: expect.stringContaining("1 found"),
    },
  ],
])("the command fails if the experiment finds something, and succeeds otherwise: %s", async (words, expected) => {
  expect(await lab("life-cycle", ...words)).toMatchObject(expected);
});
