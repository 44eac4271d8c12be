import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { tokenFile } from "../../../packages/client/test/contract/stored-token.ts";
import type { TestService } from "../../support/service.ts";
import { invite, trustWorkload } from "./tokens.ts";

/** Combines all samples of a client's README into one program. */
export const samplesOf = async (folder: string, language: string): Promise<string> => {
  const readme = await readFile(new URL(`../../../packages/${folder}/README.md`, import.meta.url), "utf8");
  return [...readme.matchAll(/```(\w+)\n(.*?)```/gs)]
    .flatMap(([, name, code]) => (name === language ? code : []))
    .join("\n");
};

/** What the samples of each client print, if the service has the key `kept`. */
const printed = [
  /^This token is bound to 127\.0\.0\.1\.$/m,
  /^This job has the token \w{26}\.$/m,
  /^Store the value of the new token, which has 80 characters, before the next call\.$/m,
  /^The token expires on [\w ]+\. It cannot be rotated\.$/m,
  /^kept$/m,
  /^The key has changed since it was created\. It is not deleted\.$/m,
  /^\{ ?'?v_code'?: \[ ?'The v_code must be 64 characters\.' ?\] ?\}$/m,
];

type Run = (environment: Record<string, string>) => Promise<{ stdout: string; stderr: string }>;

/** Checks that a program of all samples prints what it should, and leaves no keys behind. */
export const checkSamples = async (service: TestService, run: Run): Promise<void> => {
  await service.call("POST", "/api/v1/key", { form: { key_id: "kept", v_code: "v".repeat(64) } });
  const { token_id, invitation } = await invite(service, "127.0.0.1");
  const file = await tokenFile();
  const { stdout, stderr } = await run({
    BASE_URL: service.baseUrl,
    TOKEN: await service.issueToken(),
    INVITATION: invitation,
    TOKEN_FILE: file.path,
    ...(await trustWorkload(service)).environment,
  });

  expect(stderr).toBe("");
  for (const line of printed) expect(stdout).toMatch(line);
  expect((await file.read()).token_id).toBe(token_id);
  expect(await (await service.call("GET", "/api/v1/key")).json()).toMatchObject([{ key_id: "kept" }]);
};
