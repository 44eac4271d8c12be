import type * as z from "zod/mini";
import type * as actions from "./actions.ts";
import type { ActionName } from "./contract.ts";

/** The fields of an action, as a client sends them. */
export type ActionInput<Name extends ActionName> = z.input<(typeof actions)[Name]["input"]>;
