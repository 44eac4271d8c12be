import type * as z from "zod/mini";
import type { Method } from "./endpoint.ts";
import { mergeUses, type StoresFor, type Uses } from "./stores.ts";

type ObjectSchema = z.core.$ZodObject;

/** Who acts, as it is recorded: the user's name, or `invoke:<request id>`, which CloudTrail ties to an IAM principal. */
export type Actor = string;

/** What an action knows besides its input. */
interface ActionContext<S> {
  actor: Actor;
  /** The address that the admin acts from: the HTTP door alone sees one. */
  sourceIp?: string | undefined;
  stores: S;
}

/** An admin's action, whole. Each door of the admin function offers the same actions with the same validation. */
export interface ActionDeclaration<Input extends ObjectSchema, U extends Uses> {
  /** Where the HTTP door has it, below `/admin`. The parameters in the path are fields of the input, as are query and body. */
  route: `${Method} /${string}`;
  /** The HTTP status of its success: 200 unless told otherwise. */
  status?: number;
  summary: string;
  /** The operations of the stores that it uses: the rights of the admin function derive from them. */
  uses: U;
  /** The schema of its input, strict: a field that is not known is a typing error that must not pass unseen. */
  input: Input;
  run(input: z.core.output<Input>, context: ActionContext<StoresFor<U>>): Promise<unknown>;
}

/** An action as the doors see it, whatever its input is. */
export interface Action {
  readonly route: `${Method} /${string}`;
  readonly status?: number;
  readonly summary: string;
  readonly uses: Uses;
  readonly input: ObjectSchema;
  run(input: unknown, context: ActionContext<unknown>): Promise<unknown>;
}

/** The actions of the admin function by name. */
export type Actions = Readonly<Record<string, Action>>;

/** What the admin function uses: all that its actions do. */
export const usesOf = (actions: Actions): Uses =>
  Object.values(actions).reduce<Uses>((uses, action) => mergeUses(uses, action.uses), {});

/** The path of the HTTP door, from the base URL. */
const adminPath = "/admin";

/** Method and path, from the base URL, of an action behind the HTTP door. */
export const adminRoute = ({ route }: Pick<Action, "route">): { method: Method; path: string } => {
  const [method, path] = route.split(" ") as [Method, string];
  return { method, path: adminPath + path };
};

/** Declares an admin's action. Types alone. */
export const action = <Input extends ObjectSchema, const U extends Uses>(
  declaration: ActionDeclaration<Input, U>,
): Action => declaration;
