import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLocalSettings } from "../../infra/stages/local-settings.ts";
import { readOptions } from "../../infra/stages/options.ts";
import { missingNames, problemsOf } from "../../infra/stages/settings.ts";
import { libraryApi } from "../fixtures/library/api.ts";
import { temporaryDirectory } from "../local/project-fixture.ts";

const { settings } = libraryApi;

describe("the settings of a stage", () => {
  test("are in its file, and single ones on the command line", () => {
    const file = { settings: { quote_url: "https://a.example", quote_retries: 3, quote_sandbox: true } };
    const read = readOptions({ "settings.quote_retries": "5" }, [], () => file);

    const expected = { quote_url: "https://a.example", quote_retries: "5", quote_sandbox: "true" };
    expect([read.settings, read.given.settings]).toEqual([expected, { ...file.settings, quote_retries: "5" }]);
    expect(problemsOf("setting", settings, expected)).toEqual([]);
    expect(missingNames(settings, expected)).toEqual(["quote_mode"]);
    expect(() => readOptions({ settings: "{}" }, [])).toThrow(
      "-c settings=… must be an object in the file of the stage",
    );
  });

  test.each([
    ["quote_ulr", "x", "There is no setting quote_ulr. Did you mean quote_url?"],
    ["quote_url", "quotes", "The setting quote_url must be a URL."],
    ["quote_retries", "10", "The setting quote_retries must be a whole number from 0 to 9."],
    ["quote_retries", "1e1", "The setting quote_retries must be a number."],
    ["quote_sandbox", "yes", "The setting quote_sandbox must be true or false."],
    ["quote_mode", "slow", "The setting quote_mode must be one of fast, cheap."],
    ["constructor", "x", "There is no setting constructor"],
  ])("reject %s=%s with a sentence", (name, text, sentence) => {
    expect(problemsOf("setting", settings, { [name]: text }).join()).toContain(sentence);
  });
});

describe("the file of a local run", () => {
  test("begins with the examples, belongs to its owner alone, and is never replaced", async () => {
    const file = join(await temporaryDirectory(), "data", "settings.json");
    expect(readLocalSettings(libraryApi, file)).toMatchObject({ quote_retries: "0", quote_mode: "fast" });

    const content = await readFile(file, "utf8");
    expect(JSON.parse(content).secrets).toEqual({ quote_key: "not-a-secret-but-an-example" });
    const changed = content.replace('"fast"', '"cheap"');
    await writeFile(file, changed);
    await chmod(file, 0o644);
    expect(readLocalSettings(libraryApi, file)).toMatchObject({ quote_mode: "cheap" });
    expect([await readFile(file, "utf8"), (await stat(file)).mode & 0o777]).toEqual([changed, 0o600]);
    // `npm run dev` would take it for a change, synthesise, and never finish.
    const { ctimeMs } = await stat(file);
    readLocalSettings(libraryApi, file);
    expect((await stat(file)).ctimeMs).toBe(ctimeMs);
  });

  const secret = "sk-live-0123456789abcdef";
  test.each([
    [`{\n  "secrets": {\n    "quote_key": ${secret}\n  }\n}`, "is not JSON: correct line 3."],
    [`{\n  "secrets": { "quote_key": "${secret}",\n  }\n}`, "is not JSON: correct line 3."],
    [`{ "secrets": { "quote_key": "${secret}`, "is not JSON: correct line 1."],
    [`{ "secret": { "quote_key": "${secret}" } }`, 'must be { "settings": { … }, "secrets": { … } }'],
    [`{ "secrets": { "quote_ky": "${secret}" } }`, "There is no secret quote_ky. Did you mean quote_key?"],
    [`{ "secrets": { "quote_key": "sk-live" } }`, "The secret quote_key must be 20 to 200 characters."],
    ["{}", 'The secret quote_key is missing. Add it: "secrets": { "quote_key": "not-a-secret-but-an-example" }'],
  ])("with %j is rejected with a sentence that quotes no secret", async (text, sentence) => {
    const file = join(await temporaryDirectory(), "settings.json");
    await writeFile(file, text);
    const read = () => readLocalSettings(libraryApi, file);
    expect(read).toThrow(sentence);
    expect(read).not.toThrow("sk-live");
  });
});
