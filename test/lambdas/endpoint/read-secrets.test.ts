import { inspect } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import { withValues } from "../../../lambdas/endpoint/read-secrets.ts";
import { workOf } from "../../../lambdas/endpoint/serve-endpoint.ts";
import type { ApiError } from "../../../lambdas/shared/errors/api-error.ts";
import { wordIssue } from "../../../lambdas/shared/validation/issue-words.ts";
import { valueFromText } from "../../../lambdas/shared/validation/value-from-text.ts";
import { getQuote } from "../../fixtures/library/books/get-quote.ts";
import { isSigned, type StubAnswer, startAwsStub } from "../../support/aws-stub.ts";
import { captureLog } from "../support/outcomes.ts";

const key = "first-secret-of-the-carrier";
const nextKey = "rotated-secret-of-the-carrier";
const five = 5 * 60_000;

const settings = { quote_url: "https://quotes.example", quote_retries: "2", quote_mode: "cheap" };
const withKey = (Value: string): StubAnswer => ({ body: { Parameters: [{ Name: "/library/prod/quote_key", Value }] } });
const refusal = (type: string): StubAnswer => ({ status: 400, body: { __type: type, message: "No." } });
const missing: StubAnswer = { body: { Parameters: [], InvalidParameters: ["/library/prod/quote_key"] } };
const invalid = withKey("too-short");
const gateway: StubAnswer = { body: `{"Value":${key}}` };
const broken = null;

/** A function in a new environment. Its Parameter Store gives these answers, the last of them again and again. */
const start = async (...answers: (StubAnswer | null)[]) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  // A slow machine may take longer than a function waits.
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
  const log = captureLog();
  let rest = answers;
  const stub = await startAwsStub(() => {
    const [answer = null, ...later] = rest;
    if (later.length > 0) rest = later;
    return answer;
  });
  onTestFinished(async () => {
    vi.useRealTimers();
    await stub.close();
  });
  for (const [name, text] of Object.entries({
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "signing-key",
    AWS_SESSION_TOKEN: "session",
    AWS_ENDPOINT_URL_SSM: stub.url,
    SECRETS_PATH: "/library/prod/",
    ...Object.fromEntries(Object.entries(settings).map(([one, value]) => [`SETTING_${one.toUpperCase()}`, value])),
  }))
    vi.stubEnv(name, text);
  const { handler, failures = expect.fail } = withValues(getQuote, wordIssue);
  const work = workOf({ ...getQuote, handler }, {});
  /** Everything that is known about the errors of the calls, as text. */
  const thrown: string[] = [];
  const call = async (query = {}): Promise<unknown> => {
    const input = { query, parameters: {}, form: undefined, json: undefined, ifMatch: undefined };
    return work(input).then(
      ({ body }) => Object(body).quote,
      (error: ApiError) => {
        thrown.push(inspect(error));
        return [error.code, String(error.cause)];
      },
    );
  };
  return { call, thrown, failures, log: log.text, requests: stub.requests };
};

const quoteWith = (secret: string) => `https://quotes.example 3 true cheap ${secret.length}`;

test("a function reads all its secrets with one signed request, and again after five minutes", async () => {
  const { call, requests } = await start(withKey(key), withKey(nextKey));

  expect([await call(), await call()]).toEqual([quoteWith(key), quoteWith(key)]);
  expect(requests.map(({ operation, body }) => [operation, JSON.parse(body)])).toEqual([
    ["GetParameters", { Names: ["/library/prod/quote_key"], WithDecryption: true }],
  ]);
  expect(requests.every((request) => isSigned(request, "signing-key"))).toBe(true);
  vi.setSystemTime(Date.now() + five);
  expect([await call(), requests.length]).toEqual([quoteWith(nextKey), 2]);
});

test.each(Object.entries({ missing, invalid, gateway, broken, denied: refusal("AccessDeniedException") }))(
  "keeps its secrets if the Parameter Store's answer is %s later, and logs that once without a value",
  async (_, answer) => {
    const { call, log } = await start(withKey(key), answer);
    await call();
    vi.setSystemTime(Date.now() + five);

    expect([await call(), await call()]).toEqual([quoteWith(key), quoteWith(key)]);
    expect(
      log()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).message),
    ).toEqual(["secrets_kept"]);
    expect(log()).not.toMatch(/first-se|too-short/);
  },
);

test.each([
  ["throttles", [refusal("ThrottlingException"), withKey(key)], quoteWith(key)],
  ["fails", [{ status: 500, body: {} }, broken, withKey(key)], quoteWith(key)],
  ["is down", [broken], ["unavailable", "TypeError: fetch failed"]],
  ["denies", [refusal("AccessDeniedException"), withKey(key)], ["unavailable", expect.stringMatching("AccessDenied")]],
  ["lacks the parameter", [missing], ["unavailable", "Error: The secret quote_key is missing."]],
  ["has another value", [invalid], ["unavailable", "Error: The secret quote_key must be 20 to 200 characters."]],
])("the first call of a function whose Parameter Store %s", async (_, answers, expected) => {
  const { call } = await start(...answers);
  expect(await call()).toEqual(expected);
});

test("neither an error nor its causes quote a secret, not even in JSON or in a URL", async () => {
  const { call, thrown } = await start(withKey("first-secret&=?of-the-carrier\\"));
  expect(await call({ fail: "1" })).toEqual(["internal_error", 'TypeError: "Bearer ***" is invalid.']);
  expect(thrown.join()).toContain('{"quote_key":"***"} to ?key=***');
  expect(thrown.join()).toContain("{ quote_key: '***' }");
  expect(thrown.join()).not.toContain("first-secret");
});

test("an error quotes no secret, not even form-encoded or a single line of it", async () => {
  const { call, thrown } = await start(withKey("first-secret @line\nsecond-secret/line\n}"));
  expect(await call({ fail: "1" })).toEqual(["internal_error", 'TypeError: "Bearer ***" is invalid.']);
  expect(thrown.join()).not.toMatch(/first-secret|second-secret/);
});

test("the version check names the command that sets a secret", async () => {
  const command = (problem: string) => [
    `The secret quote_key ${problem} Set it: read -rs V && printf %s "$V" | aws ssm put-parameter --overwrite --type SecureString --name /library/prod/quote_key --value file:///dev/stdin`,
  ];
  const { failures } = await start(missing, invalid, refusal("com.amazon#AccessDeniedException"), withKey(key));
  expect(await failures()).toEqual(command("is missing."));
  expect(await failures()).toEqual(command("must be 20 to 200 characters."));
  expect(await failures()).toEqual(["secrets GetParameters: AccessDeniedException"]);
  expect(await failures()).toEqual([]);
});

test("a function without a valid setting does not start", async () => {
  await start(withKey(key));
  vi.stubEnv("SETTING_QUOTE_RETRIES", "many");
  vi.stubEnv("SETTING_QUOTE_MODE", undefined);
  expect(() => withValues(getQuote, wordIssue)).toThrow(
    "The setting quote_retries must be a number.\nThe setting quote_mode is missing.",
  );
});

test("a problem never quotes the value, even if the schema's own message does", () => {
  const schema = z.string().check(z.refine(() => false, { error: ({ input }) => `is not ${input}.` }));
  expect(valueFromText(schema, key, wordIssue)).toEqual({ problems: ["is not valid."] });
});
