import type * as z from "zod/mini";
import { mergeUses, type StoresFor, type Uses } from "./stores.ts";

type ObjectSchema = z.core.$ZodObject;

/** Who acts, as it is recorded: `invoke:<request id>` for an invocation, which CloudTrail ties to an IAM principal. */
export type Actor = string;

/** An admin's action, whole. Each door of the admin function offers the same actions with the same validation. */
export interface ActionDeclaration<Input extends ObjectSchema, U extends Uses> {
  summary: string;
  /** The operations of the stores that it uses: the rights of the admin function derive from them. */
  uses: U;
  /** The schema of its input, strict: a field that is not known is a typing error that must not pass unseen. */
  input: Input;
  run(input: z.core.output<Input>, context: { actor: Actor; stores: StoresFor<U> }): Promise<unknown>;
}

/** An action as the doors see it, whatever its input is. */
export interface Action {
  readonly summary: string;
  readonly uses: Uses;
  readonly input: ObjectSchema;
  run(input: unknown, context: { actor: Actor; stores: unknown }): Promise<unknown>;
}

/** The actions of the admin function by name. */
export type Actions = Readonly<Record<string, Action>>;

/** What the admin function uses: all that its actions do. */
export const usesOf = (actions: Actions): Uses =>
  Object.values(actions).reduce<Uses>((uses, action) => mergeUses(uses, action.uses), {});

/** Declares an admin's action. Types alone. */
export const action = <Input extends ObjectSchema, const U extends Uses>(
  declaration: ActionDeclaration<Input, U>,
): Action => declaration;
