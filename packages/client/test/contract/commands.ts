import { join } from "node:path";
import { expect } from "vitest";
import { describedToken, found, issued, issuedToken, noContent, refused, scripted, waiting } from "./services.ts";
import { due, tokenFile } from "./stored-token.ts";
import type { Behaviours } from "./world.ts";

const nowhere = "http://127.0.0.1:1";

/** Tests the command of a package. */
export const commands: Behaviours = {
  "gets, rotates and revokes a token, and prints no secret": async ({ command }) => {
    const file = await tokenFile();
    const { baseUrl, requests } = await scripted(
      ...[issued("A0"), found(describedToken), issued("B0")],
      ...[refused(409, "move_not_needed"), noContent],
    );
    const variables = { BASE_URL: baseUrl, TOKEN_FILE: file.path };
    const report = (name: string) =>
      expect.stringContaining(`${file.path}: token ${issuedToken(name).token_id} for 127.0.0.1, until 2027-11-21`);
    const enrolled = await command(["enrol", "--url", baseUrl, "--file", file.path], { input: "iti_secret\n" });
    expect(enrolled).toEqual({ output: report("A0"), errors: "", exitCode: 0 });
    expect(enrolled.output).not.toContain("secret");

    const rotated = await command(["rotate", "--grace-seconds", "0"], { variables });
    expect(rotated).toEqual({ output: report("B0"), errors: "", exitCode: 0 });
    expect((await file.read()).token).toBe(issuedToken("B0").token);
    const moved = await command(["move"], { variables });
    expect(moved).toMatchObject({ exitCode: 1, errors: expect.stringContaining("409 move_not_needed") });
    expect(await command(["revoke"], { variables })).toMatchObject({ exitCode: 0 });
    expect(await file.names()).toEqual([]);
    expect(requests.map(({ method, body }) => [method, body])).toEqual([
      ...[
        ["POST", ""],
        ["GET", ""],
        ["POST", "grace_seconds=0"],
      ],
      ...[
        ["POST", ""],
        ["DELETE", ""],
      ],
    ]);
  },

  "rotates a token that is due, and warns if that fails": async ({ command }) => {
    const file = await tokenFile();
    const checked = found(describedToken, { "x-token-expires-at": new Date(Date.now() + 60_000).toISOString() });
    const { baseUrl } = await scripted(checked, refused(409, "token_already_rotated"), checked, issued("B0"));
    await file.store("itk_1_secret", due);
    const words = ["check", "--url", baseUrl, "--file", file.path];

    const failed = await command(words);
    const { token_id } = describedToken;
    expect(failed).toMatchObject({ output: expect.stringContaining(`token ${token_id} for`), exitCode: 0 });
    expect(failed.errors.trim().split("\n")).toEqual([
      expect.stringMatching(/^The token was not replaced: 409 token_already_rotated/),
      expect.stringMatching(/^The token in .+token\.json expires at .+ and cannot be rotated\. Put its successor/),
    ]);
    expect(failed.errors).not.toContain("secret");

    const { output, errors } = await command(words);
    expect(output).toContain(`token ${issuedToken("B0").token_id} for 127.0.0.1, until 2027-11-21`);
    expect(errors).toBe("");
    expect((await file.read()).token).toBe(issuedToken("B0").token);
  },

  "shows what to tell an admin, and fails if nobody confirms it": async ({ command }) => {
    const file = await tokenFile();
    const { baseUrl } = await scripted(waiting("K7P-4XQ", {}, new Date(Date.now() + 4_000).toISOString()));
    expect(await command(["enrol", "iti_secret", "--url", baseUrl, "--file", file.path])).toEqual({
      output: "",
      errors: [
        "Tell an admin: the address is 127.0.0.1, and the code is K7P-4XQ. Waiting for the confirmation …",
        "202 not_confirmed: No admin confirmed the code K7P-4XQ for 127.0.0.1 in time. Repeat the call for a new code.",
        "",
      ].join("\n"),
      exitCode: 1,
    });
    expect(await file.names()).toEqual([]);
  },

  "fails with one line if the service, the token's folder or the invitation is missing, or if there is a token":
    async ({ command }) => {
      const [file, full] = [await tokenFile(), await tokenFile()];
      await full.store("itk_1_secret");
      for (const [path, problem, input] of [
        [file.path, /./, "iti_secret"],
        [join(file.folder, "none", "token.json"), /./, "iti_secret"],
        [full.path, /There is a token in/, "iti_secret"],
        [file.path, /There is no invitation/, " \n"],
      ] as const) {
        const { errors, exitCode } = await command(["enrol", "--url", nowhere, "--file", path], { input });
        expect(exitCode).toBe(1);
        expect(errors).toMatch(/^[^\n]+\n$/);
        expect(errors).toMatch(problem);
        expect(errors).not.toContain("secret");
      }
      expect((await full.read()).token).toBe("itk_1_secret");
    },

  "prints its usage if asked, and for wrong arguments": async ({ command }) => {
    const options = ["--url", nowhere, "--file", "none.json"];
    const usage = /usage: integration-api-client/i;
    for (const words of [["--help"], ["enrol", "-h"]]) {
      expect(await command(words)).toEqual({ output: expect.stringMatching(usage), errors: "", exitCode: 0 });
    }
    for (const words of [[], ["enrol"], ["sing", ...options], ["rotate", "--wrong", ...options]]) {
      const { errors, exitCode } = await command(words);
      expect(exitCode, words.join(" ")).not.toBe(0);
      expect(errors).toMatch(usage);
    }
  },
};
