import type * as z from "zod/mini";
import type { BuiltInTables } from "../domain/built-in-stores.ts";
import type { Author } from "../domain/history/change-entry.ts";
import { mergeUses, type StoresFor, storesIn, type Uses, type UsesOf } from "../dynamodb/uses.ts";
import type { Method, ObjectSchema } from "./endpoint.ts";

/** The context in which an action runs. */
export interface ActionContext<S> {
  /** Who acts, and from which address. */
  author: Author;
  /** The admin's IP address. Only the HTTP interface knows it. */
  sourceIp?: string | undefined;
  stores: S;
}

/** An action as clients see it. */
export interface ActionContract {
  /** The method, and the path below `/admin`. Path parameters, query and body all become fields of the input. */
  route: `${Method} /${string}`;
  /** The HTTP status of a success. Default: 200. */
  status?: number;
  /** The schema of the result, if there is one. Fields that are not in the schema are never sent. */
  response?: z.ZodMiniType;
}

type ResponseOf<Contract extends ActionContract> = Contract extends { response: infer Response extends z.ZodMiniType }
  ? z.output<Response>
  : undefined;

/** A complete admin action. It can be called by invocation and over HTTP, with the same validation. */
export interface ActionDeclaration<
  Contract extends ActionContract,
  Input extends ObjectSchema,
  U extends UsesOf<BuiltInTables>,
> {
  contract: Contract;
  summary: string;
  /** The store operations that it uses. The admin function's IAM permissions are derived from them. */
  uses: U;
  /** The schema of its input. It is strict, so that a misspelt field is rejected instead of ignored. */
  input: Input;
  /** An input that succeeds. It may refer to records in the tables' examples. */
  example: z.input<Input>;
  run(input: z.output<Input>, context: ActionContext<StoresFor<BuiltInTables, U>>): Promise<ResponseOf<Contract>>;
}

/** An action with any input. */
export interface Action {
  readonly contract: ActionContract;
  readonly summary: string;
  readonly uses: Uses;
  readonly input: ObjectSchema;
  readonly example: unknown;
  run(input: unknown, context: ActionContext<unknown>): Promise<unknown>;
}

/** The admin function's actions, by name. */
export type Actions = Readonly<Record<string, Action>>;

/** Returns the actions of a service with these stores. Leaves out actions that only use stores that the service does not have. */
export const actionsFor = (stores: readonly string[], actions: Actions): Actions =>
  Object.fromEntries(
    Object.entries(actions).filter(([, { uses }]) => {
      const used = storesIn(uses);
      return used.length === 0 || used.some((store) => stores.includes(store));
    }),
  );

/** Returns the store operations of all actions, which the admin function uses. */
export const usesOf = (actions: Actions): Uses =>
  Object.values(actions).reduce<Uses>((uses, action) => mergeUses(uses, action.uses), {});

/** The path of the admin function's HTTP interface, below the base URL. */
const adminPath = "/admin";

/** Returns an action's method, and its path below the base URL. */
export const adminRoute = ({ route }: Pick<ActionContract, "route">): { method: Method; path: string } => {
  const [method, path] = route.split(" ") as [Method, string];
  return { method, path: adminPath + path };
};

/** Declares an admin action. It only checks types. */
export const action = <
  Contract extends ActionContract,
  Input extends ObjectSchema,
  const U extends UsesOf<BuiltInTables>,
>(
  declaration: ActionDeclaration<Contract, Input, U>,
): ActionDeclaration<Contract, Input, U> => declaration;
