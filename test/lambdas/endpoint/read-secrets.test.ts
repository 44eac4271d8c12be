import { inspect } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import { withValues } from "../../../lambdas/endpoint/read-secrets.ts";
import { workOf } from "../../../lambdas/endpoint/serve-endpoint.ts";
import { apiChain } from "../../../lambdas/middlewares/chain.ts";
import type { ApiEvent } from "../../../lambdas/middlewares/request.ts";
import { ApiError } from "../../../lambdas/shared/errors/api-error.ts";
import { wordIssue } from "../../../lambdas/shared/validation/issue-words.ts";
import { valueFromText } from "../../../lambdas/shared/validation/value-from-text.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
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
  const call = (): Promise<unknown> =>
    work(noInput).then(
      ({ body }) => Object(body).quote,
      (error: ApiError) => [error.code, String(error.cause)],
    );
  return { call, failures, log, requests: stub.requests };
};

const noInput = { query: {}, parameters: {}, form: undefined, json: undefined, ifMatch: undefined };

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
      log
        .text()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).message),
    ).toEqual(["secrets_kept"]);
    expect(log.text()).not.toMatch(/first-se|too-short/);
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

test("neither the log nor a response quotes a secret, not even one that is rotated during the call", async () => {
  const { log } = await start(withKey(key), withKey(nextKey));
  const declared = { code: "unavailable", status: 503, message: "The carrier rejects {url}." };
  const quoting = (quoted: string) => {
    const texts = { url: `?key=${encodeURIComponent(quoted)}`, basic: `Basic ${btoa(`x:${quoted}`)}`, quoted };
    const cause = new TypeError(`"Bearer ${quoted}" is invalid.`);
    return new ApiError(declared, { values: texts, headers: { "X-Reason": quoted }, facts: texts, cause });
  };
  const { handler } = withValues(
    {
      ...getQuote,
      async handler(input: unknown) {
        const quote_key = String(Object(input).secrets.quote_key);
        if (quote_key === key) {
          vi.setSystemTime(Date.now() + five);
          await call();
        }
        throw quoting(quote_key);
      },
    },
    wordIssue,
  );
  const responses: unknown[] = [];
  const chain = apiChain().handler<ApiEvent>(async () => ({
    statusCode: (await workOf({ ...getQuote, handler }, {})(noInput)).status,
  }));
  const call = async () => responses.push(await chain(apiEvent(), lambdaContext));
  await call();
  const hidden = { url: "?key=***", basic: expect.stringMatching(/^Basic .{0,3}\*\*\*.{0,4}$/), quoted: "***" };
  const cause = expect.stringContaining('TypeError: "Bearer ***" is invalid.');
  expect(log.lines()).toEqual(Array(2).fill(expect.objectContaining({ status: 503, ...hidden, cause })));
  const response = { headers: { "X-Reason": "***" }, body: expect.stringContaining("rejects ?key=***.") };
  expect(responses).toMatchObject([response, response]);
});

test("an error that Lambda logs, such as that of a job, has no secret in any property", async () => {
  await start(withKey(key));
  const thrown = [
    Object.assign(new TypeError(`"${key}"`, { cause: key }), { request: { key } }),
    new AggregateError([key], key),
    { key },
    new ApiError("unavailable", { cause: new Error(key) }),
  ];
  for (const error of thrown) {
    const { handler } = withValues({ ...getQuote, handler: () => Promise.reject(error) }, wordIssue);
    const left = await handler(noInput).catch((one: unknown) => inspect(one));
    expect(left).toContain("***");
    expect(left).not.toContain(key);
  }
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
