import type * as z from "zod/mini";
import type * as actions from "./actions.ts";
import type { ActionName } from "./contract.ts";

/** The fields that a client sends to an action. */
export type ActionInput<Name extends ActionName> = z.input<(typeof actions)[Name]["input"]>;
