import { execFile } from "node:child_process";
import { describe, expect, inject, test, vi } from "vitest";
import { conduct, readWishes } from "../../../tools/lab/conduct.ts";
import type { Experiment } from "../../../tools/lab/experiment.ts";
import { experiments } from "../../../tools/lab/experiments.ts";

// Many steps, each of which waits for less than a minute.
vi.setConfig({ testTimeout: 300_000 });

describe.each(Object.entries(experiments))("the smoke form of %s", (_, experiment) => {
  const seed = Date.now() % 1e9;
  const surroundings = { assemblyDirectory: inject("assemblyDirectory") };
  const smoke = async (plant?: string): Promise<readonly string[]> => {
    return (await conduct(experiment, { seed, isSmoke: true, ...(plant && { plant }) }, surroundings)).problems;
  };

  test("finds nothing", async () => {
    expect(await smoke(), `with --seed ${seed}`).toEqual([]);
  });

  const plants = Object.entries(experiment.smokePlants ?? {});
  test.skipIf(plants.length === 0).each(plants)("finds the planted bug: %s", async (plant, finding) => {
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

describe("the command", () => {
  test("lists all experiments with their options", async () => {
    const { stdout } = await lab();
    for (const [name, { summary }] of Object.entries(experiments)) {
      expect(stdout).toContain(`\n${name}`);
      expect(stdout).toContain(`\n  ${summary}\n`);
    }
    for (const words of ["--seconds N ", "--plant NAME ", "--smoke "]) expect(stdout).toContain(words);
  });

  test("fails if the experiment finds something, and succeeds otherwise", async () => {
    expect(await lab("canary", "--plant", "a dead canary")).toMatchObject({
      exitCode: 1,
      stderr: "The canary is dead.\n",
      stdout: expect.stringContaining("canary: 1 found"),
    });
    expect(await lab("canary", "--smoke")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("canary: nothing found"),
    });
  });

  test("rejects an unknown name with the known ones", async () => {
    const { exitCode, stderr } = await lab("toString");

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^There is no experiment "toString"\. These exist: simulation, /);
  });
});

describe("the arguments of a command line", () => {
  const plain: Experiment = { summary: "", run: async () => ({ problems: [] }) };
  const experiment: Experiment = {
    ...plain,
    isSeeded: true,
    seconds: 60,
    parts: ["resources/keys", "middlewares"],
    options: { force: { summary: "" }, rounds: { summary: "", takes: "N" } },
    plants: async () => ["bug"],
  };

  test("select the parts to run and their options", async () => {
    const words = "keys --seed 7 --seconds 1.5 --plant bug --force --rounds 3 --smoke";
    expect(await readWishes(experiment, words.split(" "))).toEqual({
      parts: ["resources/keys"],
      seed: 7,
      seconds: 1.5,
      plant: "bug",
      isSmoke: true,
      options: { force: true, rounds: 3 },
    });
  });

  test.each([
    [experiment, ["--plant", "another"], 'There is no plant "another". These exist: bug.'],
    [experiment, ["limit"], 'There is no part "limit". These exist: resources/keys, middlewares.'],
    [experiment, ["--seconds", "a few"], '--seconds takes a number, not "a few".'],
    [experiment, ["--seed"], "Option '--seed <value>' argument missing"],
    [plain, ["keys"], 'This experiment has no part that can be chosen: leave out "keys".'],
    [plain, ["--seed", "1"], "Unknown option '--seed'"],
  ])("are rejected with instructions, case %#", async (refusing, words, message) => {
    await expect(readWishes(refusing, words)).rejects.toThrow(message);
  });
});
