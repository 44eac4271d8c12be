import type * as z from "zod/mini";
import type * as actions from "../../../lambdas/admin/actions.ts";
import type { adminContract, ActionResponse as BuiltInResponse } from "../../../lambdas/admin/contract.ts";
import type { recordContract, recordPage } from "../../../lambdas/admin/records/records-contract.ts";

type Contract = typeof adminContract & typeof recordContract;

/** The actions of this project, and the action on an application's own records. */
export type ActionName = keyof Contract;
export type ActionRoute<Name extends ActionName> = Contract[Name]["route"];

export type ActionResponse<Name extends ActionName> = Name extends keyof typeof adminContract
  ? BuiltInResponse<Name>
  : z.output<typeof recordPage>;

/** The fields that a client sends to an action. */
export type ActionInput<Name extends ActionName> = Name extends keyof typeof actions
  ? z.input<(typeof actions)[Name]["input"]>
  : {
      store: string;
      prefix?: string | undefined;
      index?: string | undefined;
      /** The values of the index's fields, as JSON. */
      where?: string | undefined;
      order?: "ascending" | "descending" | undefined;
      limit?: number;
      cursor?: string | undefined;
    };

export type Token = ActionResponse<"get">;

/** A trusted workload and the terms of its tokens. */
export type Trust = ActionResponse<"get_trust">;

/** A newly issued token with its value. No other response contains the value. */
export type IssuedToken = ActionResponse<"issue">;

/** A token that doesn't exist yet, with the value of its invitation. No other response contains the value. */
export type InvitedToken = ActionResponse<"invite">;

/** A client's request that an admin confirm its address, either for an invitation without an address or for a move. */
export type ConfirmationRequest = NonNullable<Token["request"]>;

/** The last time that a token's correct secret came from a wrong address, and all such addresses. */
export type Leak = ActionResponse<"leaks">["leaks"][number];

export type Usage = ActionResponse<"usage">;
export type UsageHour = Usage["hours"][number];
export type Refusal = Usage["refusals"][number];
/** A wrong address from which the correct secret was sent, with its calls. */
export type LeakAddress = Usage["leaks"]["addresses"][number];
export type Rotation = NonNullable<Usage["rotation"]>;

/** A key without its v_code. */
export type ListedKey = ActionResponse<"list_keys">["keys"][number];

/** A change to a token, a trusted workload or a key. */
export type Change = ActionResponse<"history">["changes"][number];
