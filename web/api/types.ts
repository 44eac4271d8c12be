import type { ActionInput } from "../../lambdas/admin/action-input.ts";
import type { ActionResponse } from "../../lambdas/admin/contract.ts";

export type Token = ActionResponse<"get">;

/** What a token is issued with. */
export type TokenTerms = ActionInput<"issue">;

/** A token that was just issued, with its text: no other answer contains it. */
export type IssuedToken = ActionResponse<"issue">;

/** The last time that the correct secret of a token came from a wrong address, and all these addresses. */
export type Leak = ActionResponse<"leaks">["leaks"][number];

export type Usage = ActionResponse<"usage">;
export type UsageHour = Usage["hours"][number];
export type Refusal = Usage["refusals"][number];
/** A wrong address that the correct secret came from, with its calls. */
export type LeakAddress = Usage["leaks"]["addresses"][number];
export type Rotation = NonNullable<Usage["rotation"]>;

/** A key without its v_code. */
export type ListedKey = ActionResponse<"list_keys">["keys"][number];
