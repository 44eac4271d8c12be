import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import type { TestService } from "../../support/service.ts";
import { found, issued, issuedToken, refused, scripted, waiting } from "./services.ts";
import { due, invite, tokenFile } from "./tokens.ts";

export interface Programs {
  program: string;
  /** The command line that runs the package's command. */
  command: string[];
  environment: NodeJS.ProcessEnv;
}

/** Tests a package's command, which is available once the tests run. */
export const testCommands = (programs: () => Programs, runningService: () => TestService): void => {
  /** Runs the command until it ends. */
  const run = async (words: string[], { input = "", variables = {} } = {}) => {
    const { program, command, environment } = programs();
    const env = { ...environment, ...variables };
    const child = spawn(program, [...command, ...words], { env, timeout: 50_000, stdio: "pipe" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const { stdin, stdout, stderr } = child;
    stdin.end(input);
    const [output, errors, [exitCode, signal]] = await Promise.all([text(stdout), text(stderr), once(child, "close")]);
    if (signal !== null) throw new Error(`${words.join(" ")} did not end within 50 seconds: ${output}${errors}`);
    return { output, errors, exitCode };
  };

  test("the command gets a token, replaces it and ends it, and prints no secret", async () => {
    const file = await tokenFile();
    const service = runningService();
    const { token_id, invitation } = await invite(service, "127.0.0.1");
    const options = ["--url", service.baseUrl, "--file", file.path];
    const enrolled = await run(["enrol", ...options], { input: `${invitation}\n` });
    expect(enrolled).toEqual({
      output: `${file.path}: token ${token_id} for 127.0.0.1, does not expire\n`,
      errors: "",
      exitCode: 0,
    });
    const first = await file.read();
    expect(first.token_id).toBe(token_id);

    const variables = { BASE_URL: service.baseUrl, TOKEN_FILE: file.path };
    const rotated = await run(["rotate", "--grace-seconds", "0"], { variables });
    const { successor_id } = await service.admin({ action: "get", token_id });
    expect(rotated.output).toBe(`${file.path}: token ${successor_id} for 127.0.0.1, does not expire\n`);
    expect((await file.read()).token_id).toBe(successor_id);

    expect(await run(["move"], { variables })).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining("move_not_needed"),
    });
    expect(await run(["revoke"], { variables })).toMatchObject({ exitCode: 0 });
    expect(await file.names()).toEqual([]);
    expect(await service.admin({ action: "get", token_id: successor_id })).toMatchObject({ state: "revoked" });
  });

  test("the command replaces a token that is due in time, and warns if that fails", async () => {
    const file = await tokenFile();
    const end = new Date(Date.now() + 60_000).toISOString();
    const announced = { "x-token-expires-at": end };
    const { token: _, ...described } = issuedToken("A0");
    const checked = found({ ...described, seen_ip: "127.0.0.1", expiring: null }, announced);
    const { baseUrl } = await scripted(checked, refused(409, "token_already_rotated"), checked, issued("B0"));
    await file.store("itk_1_secret", due);
    const options = ["--url", baseUrl, "--file", file.path];

    const failed = await run(["check", ...options]);
    expect(failed).toMatchObject({ output: expect.stringContaining(`token ${described.token_id} for`), exitCode: 0 });
    expect(failed.errors.trim().split("\n")).toEqual([
      expect.stringMatching(/^The token was not replaced: 409 token_already_rotated/),
      expect.stringMatching(/^The token in .+token\.json expires at .+ and cannot be rotated\. Put its successor/),
    ]);
    expect(failed.errors).not.toContain("secret");

    const { output, errors } = await run(["check", ...options]);
    expect(output).toContain(`token ${issuedToken("B0").token_id} for 127.0.0.1, until 2027-11-21`);
    expect(errors).toBe("");
    expect((await file.read()).token).toBe(issuedToken("B0").token);
  });

  test("the command shows what to tell an admin, and fails if nobody confirms", async () => {
    const file = await tokenFile();
    const { baseUrl } = await scripted(waiting("K7P-4XQ", {}, new Date(Date.now() + 4_000).toISOString()));
    const { errors, exitCode } = await run(["enrol", "iti_secret", "--url", baseUrl, "--file", file.path]);

    expect(exitCode).toBe(1);
    expect(errors.split("\n")).toEqual([
      "Tell an admin: the address is 127.0.0.1, and the code is K7P-4XQ. Waiting for the confirmation …",
      "202 not_confirmed: No admin confirmed the code K7P-4XQ for 127.0.0.1 in time. Repeat the call for a new code.",
      "",
    ]);
    expect(await file.names()).toEqual([]);
  });

  test("the command fails with one line if the service or the token's folder is missing", async () => {
    const file = await tokenFile();
    for (const path of [file.path, join(file.folder, "none", "token.json")]) {
      const { errors, exitCode } = await run(["enrol", "iti_secret", "--url", "http://127.0.0.1:1", "--file", path]);
      expect(exitCode).toBe(1);
      expect(errors).toMatch(/^[^\n]+\n$/);
      expect(errors).not.toContain("secret");
    }
  });

  test("the command refuses to replace a token by an invitation, and explains itself", async () => {
    const file = await tokenFile();
    await file.store("itk_1_secret");
    const options = ["--url", "http://127.0.0.1:1", "--file", file.path];
    expect(await run(["enrol", "iti_1", ...options])).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining("There is a token in"),
    });
    expect((await file.read()).token).toBe("itk_1_secret");

    expect(await run(["enrol", "--url", "http://127.0.0.1:1", "--file", `${file.path}.new`], { input: " \n" })).toEqual(
      {
        output: "",
        errors: "There is no invitation: write it to the standard input, or put it after enrol.\n",
        exitCode: 1,
      },
    );
    for (const words of [["--help"], ["enrol", "-h"]]) {
      expect(await run(words)).toEqual({
        output: expect.stringMatching(/usage: integration-api-client/i),
        errors: "",
        exitCode: 0,
      });
    }
    for (const words of [[], ["enrol"], ["sing", ...options], ["rotate", "--wrong", ...options]]) {
      const { errors, exitCode } = await run(words);
      expect(exitCode, words.join(" ")).not.toBe(0);
      expect(errors).toMatch(/usage/i);
    }
  });
};
