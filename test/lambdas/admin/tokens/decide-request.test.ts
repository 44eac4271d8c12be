import { expect, test, vi } from "vitest";
import { decideRequest } from "../../../../lambdas/admin/tokens/decide-request.ts";
import { ApiError } from "../../../../lambdas/errors/api-error.ts";
import { exampleRequest } from "../../../../lambdas/resources/tokens/tokens-table.ts";
import { decided, newToken, requestField } from "../../../../tools/support/tokens.ts";
import { author } from "../../../support/authors.ts";

const { ip, code } = exampleRequest;
const { record } = newToken({ request: requestField() });
const { token_id } = record;

test.for([
  ["confirmed", "rejected", "request_changed"],
  ["rejected", "confirmed", "request_changed"],
  ["confirmed", "confirmed", "done"],
  ["rejected", "rejected", "done"],
] as const)(
  "of two admins who decide at once, who says %s after another has %s it is told: %s",
  async ([decision, other, expected]) => {
    const token = { ...record, request: requestField(decided(other)) };
    const tokens = { find: async () => record, request: vi.fn(async () => ({ made: false, token })) };

    const outcome = await decideRequest(tokens, { token_id, ip, code, decision, author }).catch(
      (error: unknown) => error,
    );
    expect(tokens.request).toHaveBeenCalledOnce();
    if (expected === "done") expect(outcome).toBe(token);
    else expect(outcome instanceof ApiError && outcome.code).toBe(expected);
  },
);
