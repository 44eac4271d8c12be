import { describe, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { action } from "../../../lambdas/declaration/action.ts";
import { ApiError } from "../../../lambdas/errors/api-error.ts";
import { actionPerformer } from "../../../lambdas/functions/perform-action.ts";
import { absentId } from "../../../tools/support/tokens.ts";
import { captureLog } from "../support/captured-log.ts";
import { apiErrorOf } from "../support/rejection.ts";

vi.stubEnv("AWS_REGION", "us-east-1");
vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");

const tokenId = absentId();

/** Performs a given action for an admin. */
const perform = async (
  run: (input: unknown, context: object) => Promise<unknown>,
  fields: Record<string, unknown> = {},
  name = "act",
) => {
  const act = action({
    contract: {
      route: "POST /acts",
      response: z.looseObject({
        token_id: z.optional(z.string()),
        predecessor_id: z.optional(z.nullable(z.string())),
        ip: z.optional(z.string()),
      }),
    },
    summary: "Does what a test wants.",
    uses: {},
    input: z.strictObject({
      token_id: z.optional(z.string()),
      key_id: z.optional(z.string()),
      v_code: z.optional(z.string()),
    }),
    example: {},
    run: (input, context) => run(input, context) as Promise<Record<string, unknown>>,
  });
  const log = captureLog();
  const outcome = actionPerformer({ act })({
    name,
    fields,
    actor: "alice",
    sourceIp: "198.51.100.7",
    requestId: "request-7",
  });
  await outcome.catch(() => {});
  return { outcome, log };
};

const line = { message: "admin", request_id: "request-7", actor: "alice" };

test("an action gets its valid input, the admin and the admin's address, and returns its declared fields", async () => {
  const { outcome } = await perform(
    async (input, context) => {
      expect(input).toEqual({ key_id: "1" });
      const author = { by: "alice", from: "198.51.100.7", requestId: "request-7" };
      expect(context).toMatchObject({ author, sourceIp: "198.51.100.7" });
      return { ip: "198.51.100.8", secret: "x" };
    },
    { key_id: "1" },
  );

  expect(await outcome).toEqual({ ip: "198.51.100.8" });
});

describe("the log has one line that says who did what to which token or key, and no other field:", () => {
  test("for a success, with the resulting token", async () => {
    const { log } = await perform(async () => ({ token_id: tokenId, predecessor_id: null }), {
      key_id: "1",
      v_code: "hush",
    });

    expect(log.lines()).toEqual([
      { level: "INFO", ...line, action: "act", key_id: "1", token_id: tokenId, predecessor_id: null },
    ]);
  });

  test("for a refusal, with its code", async () => {
    const { log, outcome } = await perform(() => Promise.reject(new ApiError("token_not_found")), {
      token_id: tokenId,
    });

    expect((await apiErrorOf(outcome)).code).toBe("token_not_found");
    expect(log.lines()).toEqual([
      { level: "INFO", ...line, action: "act", token_id: tokenId, code: "token_not_found" },
    ]);
  });

  test("for a failure, with its cause, which only the log contains", async () => {
    const { log, outcome } = await perform(() => Promise.reject(new TypeError("broken")));

    expect(await apiErrorOf(outcome)).toMatchObject({
      code: "internal_error",
      message: expect.not.stringContaining("broken"),
    });
    expect(log.lines()).toEqual([
      {
        level: "ERROR",
        ...line,
        action: "act",
        code: "internal_error",
        cause: expect.stringContaining("TypeError: broken"),
      },
    ]);
  });

  test("without invalid ids, which could be secrets", async () => {
    const { log } = await perform(async () => ({}), { token_id: "itk_hush", key_id: "hush?", v_code: "hush" });

    expect(log.lines()).toEqual([{ level: "INFO", ...line, action: "act" }]);
  });
});

test("an unknown action is refused with the names of the existing ones, and its name is not logged", async () => {
  const { log, outcome } = await perform(async () => ({}), {}, "hush");

  expect((await apiErrorOf(outcome)).toJSON()).toEqual({ action: ["The action must be one of act."] });
  expect(log.lines()).toEqual([{ level: "INFO", ...line, code: "validation_failed" }]);
});
