import { expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { actionPerformer } from "../../../lambdas/admin/perform-action.ts";
import { action } from "../../../lambdas/declaration/action.ts";
import { otherError } from "../../../lambdas/shared/errors/api-error.ts";
import { ArgumentRefused } from "../../../lambdas/shared/errors/argument-refused.ts";
import { absentId } from "../../kit/support/tokens.ts";
import { stubCredentials } from "../support/dynamodb-stub.ts";
import { captureLog } from "../support/outcomes.ts";

stubCredentials();

type Run = (input: unknown, context: object) => Promise<Record<string, unknown>>;

/** Performs an action for an admin, and returns its outcome and the log. */
const perform = async (run: Run, { name = "act", ...fields }: { name?: string; [field: string]: unknown } = {}) => {
  const text = z.optional(z.string());
  const act = action({
    contract: {
      route: "POST /acts",
      response: z.looseObject({ token_id: text, predecessor_id: z.optional(z.nullable(z.string())), ip: text }),
    },
    summary: "Does what a test wants.",
    uses: {},
    input: z.strictObject({ token_id: text, key_id: text, v_code: text }),
    example: {},
    run,
  });
  const log = captureLog();
  const from = { actor: "alice", sourceIp: "198.51.100.7", requestId: "request-7" };
  const outcome = await actionPerformer({ act })({ name, fields, ...from }).catch((error: unknown) => error);
  return { outcome, log };
};

const token_id = absentId();
const fail = (error: Error) => () => Promise.reject(error);

test("an action receives its valid input, the admin and the admin's address, and returns its declared fields", async () => {
  const run = vi.fn(async () => ({ ip: "198.51.100.8", secret: "x" }));
  const { outcome } = await perform(run, { key_id: "1" });
  expect(outcome).toEqual({ ip: "198.51.100.8" });
  const author = { by: "alice", from: "198.51.100.7", requestId: "request-7" };
  expect(run).toHaveBeenCalledExactlyOnceWith(
    { key_id: "1" },
    expect.objectContaining({ author, sourceIp: "198.51.100.7" }),
  );
});

test.for<[string, Run, Record<string, unknown>, object, object]>([
  [
    "a success, with the resulting token",
    async () => ({ token_id, predecessor_id: null }),
    { key_id: "1", v_code: "hush" },
    { token_id, predecessor_id: null },
    { level: "INFO", action: "act", key_id: "1", token_id, predecessor_id: null },
  ],
  [
    "a refusal, with its code",
    fail(otherError("token_not_found")),
    { token_id },
    { code: "token_not_found" },
    { level: "INFO", action: "act", token_id, code: "token_not_found" },
  ],
  [
    "an argument that a store rejects and that the admin sent",
    fail(new ArgumentRefused("long", "must be 1 to 2048 bytes.")),
    { key_id: "long" },
    { fields: { key_id: ["The key_id must be 1 to 2048 bytes."] } },
    { level: "INFO", action: "act", key_id: "long", code: "validation_failed" },
  ],
  [
    "a failure, with its cause, which only the log contains",
    fail(new TypeError("broken")),
    {},
    { code: "internal_error", message: expect.not.stringContaining("broken") },
    { level: "ERROR", action: "act", code: "internal_error", cause: expect.stringContaining("TypeError: broken") },
  ],
  [
    "invalid ids, which could be secrets and are left out",
    async () => ({}),
    { token_id: "itk_hush", key_id: "hush?", v_code: "hush" },
    {},
    { level: "INFO", action: "act" },
  ],
  [
    "an unknown action, which is refused with the names of the existing ones, without its name",
    async () => ({}),
    { name: "hush" },
    { code: "validation_failed", message: "The action must be one of act." },
    { level: "INFO", code: "validation_failed" },
  ],
])("logs who did what to which token or key in one line: for %s", async ([, run, sent, expected, line]) => {
  const { outcome, log } = await perform(run, sent);
  expect(outcome).toMatchObject(expected);
  expect(log.lines()).toEqual([{ message: "admin", request_id: "request-7", actor: "alice", ...line }]);
});
