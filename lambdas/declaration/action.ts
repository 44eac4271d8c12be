import type * as z from "zod/mini";
import { mergeUses, type StoresFor, storesIn, type Uses, type UsesOf } from "../dynamodb/uses.ts";
import type { Author } from "../resources/history/change-entry.ts";
import type { OwnTables } from "../resources/stores.ts";
import type { Method, ObjectSchema } from "./endpoint.ts";

/**
 * The actor as recorded: the user's name, or `invoke:<request id>`, which CloudTrail ties to an IAM principal, perhaps followed
 * by `:` and the name that the invoker gave.
 */
export type Actor = string;

/** The context in which an action runs. */
export interface ActionContext<S> {
  /** Who acts, and from where. */
  author: Author;
  /** The admin's address, which only the HTTP interface sees. */
  sourceIp?: string | undefined;
  stores: S;
}

/** An action as its clients see it. */
export interface ActionContract {
  /** Method and path below `/admin`. The parameters of the path are fields of the input, as are query and body. */
  route: `${Method} /${string}`;
  /** The HTTP status of a success: 200 unless given. */
  status?: number;
  /** The schema of what it returns, if anything. A field that is not in the schema is never sent. */
  response?: z.ZodMiniType;
}

type ResponseOf<Contract extends ActionContract> = Contract extends { response: infer Response extends z.ZodMiniType }
  ? z.output<Response>
  : undefined;

/** A complete admin action. It is available by invocation and by HTTP, with the same validation. */
export interface ActionDeclaration<
  Contract extends ActionContract,
  Input extends ObjectSchema,
  U extends UsesOf<OwnTables>,
> {
  contract: Contract;
  summary: string;
  /** The store operations that it uses: the rights of the admin function follow from them. */
  uses: U;
  /** The schema of its input. It is strict: an unknown field is a typo that must not go unnoticed. */
  input: Input;
  /** An input that succeeds. It may refer to the records in the tables' examples. */
  example: z.input<Input>;
  run(input: z.output<Input>, context: ActionContext<StoresFor<OwnTables, U>>): Promise<ResponseOf<Contract>>;
}

/** An action with any input, as the rest of the code sees it. */
export interface Action {
  readonly contract: ActionContract;
  readonly summary: string;
  readonly uses: Uses;
  readonly input: ObjectSchema;
  readonly example: unknown;
  run(input: unknown, context: ActionContext<unknown>): Promise<unknown>;
}

/** The actions of the admin function by name. */
export type Actions = Readonly<Record<string, Action>>;

/** The actions of a service with these stores. One that is only about records of other stores is not among them. */
export const actionsFor = (stores: readonly string[], actions: Actions): Actions =>
  Object.fromEntries(
    Object.entries(actions).filter(([, { uses }]) => {
      const used = storesIn(uses);
      return used.length === 0 || used.some((store) => stores.includes(store));
    }),
  );

/** The store operations of all actions, which the admin function uses. */
export const usesOf = (actions: Actions): Uses =>
  Object.values(actions).reduce<Uses>((uses, action) => mergeUses(uses, action.uses), {});

/** The path of the admin function's HTTP interface, from the base URL. */
const adminPath = "/admin";

/** The method of an action, and its path from the base URL. */
export const adminRoute = ({ route }: Pick<ActionContract, "route">): { method: Method; path: string } => {
  const [method, path] = route.split(" ") as [Method, string];
  return { method, path: adminPath + path };
};

/** Declares an admin action. It only checks types. */
export const action = <Contract extends ActionContract, Input extends ObjectSchema, const U extends UsesOf<OwnTables>>(
  declaration: ActionDeclaration<Contract, Input, U>,
): ActionDeclaration<Contract, Input, U> => declaration;
