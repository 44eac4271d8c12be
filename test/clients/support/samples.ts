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

const texts = {
  token: expect.stringMatching(/^This job has the token \w{26}\.$/),
  successor: "Store the text of the new token, which has 80 characters, before the next call.",
  changed: "The key has changed since it was created. It is not deleted.",
};

/** What the samples print, if the service has the key `kept`. */
const printed = {
  js: [
    "This token is bound to 127.0.0.1.",
    texts.token,
    texts.successor,
    expect.stringMatching(/^The token expires on \w{3} \w{3} \d\d \d{4}\. It cannot be rotated\.$/),
    "kept",
    texts.changed,
    "{ v_code: [ 'The v_code must be 64 characters.' ] }",
    "",
  ],
  python: [
    expect.stringMatching(/^1234567 was created at \d\d:\d\d UTC\.$/),
    "This token is bound to 127.0.0.1.",
    "1 keys",
    texts.token,
    texts.successor,
    expect.stringMatching(/^The token expires on \d\d [A-Z][a-z]+\. It cannot be rotated\.$/),
    "kept",
    "1 keys",
    texts.changed,
    "{'v_code': ['The v_code must be 64 characters.']}",
    expect.stringMatching(/^[0-9A-Z]{26}$/),
    "",
  ],
};

type Run = (environment: Record<string, string>) => Promise<{ stdout: string; stderr: string }>;

/** Checks that a program of all samples prints what it should, and leaves no keys behind. */
export const checkSamples = async (service: TestService, language: keyof typeof printed, run: Run): Promise<void> => {
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
  expect(stdout.split("\n")).toEqual(printed[language]);
  expect((await file.read()).token_id).toBe(token_id);
  expect(await (await service.call("GET", "/api/v1/key")).json()).toMatchObject([{ key_id: "kept" }]);
};
