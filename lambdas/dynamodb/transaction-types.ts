import type { StoresFor, Tables, UsesOf } from "./uses.ts";

/** The operations that a transaction can plan. */
type ChangingOperation = "create" | "put" | "update" | "delete";

/** A change that `stores.transaction` makes together with others. */
export interface PlannedOperation<Result> {
  /** Only for the type: what the operation returns. */
  readonly result?: Result;
}

type Planner<Operation> = Operation extends (...args: infer Args) => Promise<infer Result>
  ? (...args: Args) => PlannedOperation<Result>
  : never;

/** The stores as a transaction sees them: each changing operation in `uses` plans a change. */
export type PlanningStores<T extends Tables, U extends UsesOf<T>> = {
  [Store in keyof StoresFor<T, U>]: {
    [Operation in keyof StoresFor<T, U>[Store] & ChangingOperation]: Planner<StoresFor<T, U>[Store][Operation]>;
  };
};

type MadeOutcome = "created" | "replaced" | "updated" | "deleted";
type ResultOf<Planned> = Planned extends PlannedOperation<infer Result> ? Result : never;

/** The results of a transaction, in the order of its changes. */
type Results<P extends readonly unknown[]> =
  | { done: true; results: { [Place in keyof P]: Extract<ResultOf<P[Place]>, { outcome: MadeOutcome }> } }
  | { done: false; results: { [Place in keyof P]: ResultOf<P[Place]> | undefined } };

/**
 * Makes the changes of up to four tables' records atomically. If a change is rejected, `done` is false, and nothing has been
 * changed. Then `results` has the results of the rejected changes, and `undefined` for the others.
 *
 * @example
 * const { done, results: [shipped] } = await transaction(({ shipments, events }) => [
 *   shipments.update(id, { status: "shipped" }, { if: { status: ["packed"] } }),
 *   events.create({ shipment_id: id, number: 3, text: "Shipped" }),
 * ]);
 */
export type Transaction<T extends Tables, U extends UsesOf<T>> = <
  const P extends readonly PlannedOperation<{ outcome: string }>[],
>(
  plan: (stores: PlanningStores<T, U>) => P,
) => Promise<Results<P>>;
