import type * as z from "zod/mini";
import type { BuiltInTables } from "../domain/built-in-stores.ts";
import type { Transaction } from "../dynamodb/transaction-types.ts";
import type { StoresFor, Tables, Uses, UsesOf } from "../dynamodb/uses.ts";
import { sampleOf } from "../shared/validation/sample-value.ts";
import type { ApplicationDeclarations, Endpoint, ObjectSchema, ValueSchemas, Values } from "./endpoint.ts";

/**
 * A job: a function that a queue, a schedule or an event starts instead of a client. Its IAM permissions, its version check and its
 * alarm are derived from this declaration. An application connects it to what starts it: see docs/applications.md.
 */
export interface JobDeclaration<
  T extends Tables,
  Event extends ObjectSchema,
  U extends UsesOf<T>,
  Together extends boolean,
  Settings extends ValueSchemas | undefined,
  Secrets extends ValueSchemas | undefined,
> {
  /** What the job does, in a few words. */
  summary: string;
  /** The schema of an event. If a queue starts the job, each message of the queue is an event, as JSON. */
  event: Event;
  /** An event that succeeds. Only needed where the examples in the schema are not enough. */
  example?: z.input<Event>;
  /** The store operations that the handler uses, as in an endpoint. */
  uses: U;
  /** Gives the handler `transaction`, as in an endpoint. */
  transaction?: Together;
  /** The settings and secrets that the handler gets, as in an endpoint. */
  settings?: Settings;
  secrets?: Secrets;
  /** The time limit of an invocation: at most 900 seconds. Default: 10. The synthesis rejects a queue whose visibility timeout is shorter. */
  timeoutSeconds?: number;
  /** Handles one event. If it throws an error, the same event arrives again, so it must be safe to repeat. */
  handler(
    input: { event: z.output<Event> } & Values<Settings, Secrets>,
    stores: StoresFor<T, U> & (Together extends true ? { transaction: Transaction<T, U> } : unknown),
  ): Promise<void>;
}

/** A job with any schemas. */
export interface Job {
  readonly summary: string;
  readonly event: ObjectSchema;
  readonly example?: unknown;
  readonly uses: Uses;
  readonly transaction?: boolean;
  readonly settings?: ValueSchemas;
  readonly secrets?: ValueSchemas;
  readonly timeoutSeconds?: number;
  readonly application: ApplicationDeclarations;
  handler(input: unknown, stores: unknown): Promise<void>;
}

/** A job whose event, stores and values are known to the compiler. */
export interface TypedJob<Event, Store extends string, V> extends Job {
  /** Only for the types. No job has this member. */
  readonly types?: { event: Event; stores: Store; values: V };
}

/**
 * Returns a function that declares jobs, which may use an application's tables.
 *
 * @example
 * export const printLabel = job({
 *   summary: "Print a label",
 *   event: z.object({ shipment_id: shipmentId }),
 *   uses: { shipments: ["get"] },
 *   async handler({ event }, { shipments }) {
 *     const shipment = await shipments.get(event.shipment_id);
 *     …
 *   },
 * });
 */
export const jobsWith =
  <const T extends Tables>(application: ApplicationDeclarations & { tables: T }) =>
  <
    Event extends ObjectSchema,
    const U extends UsesOf<BuiltInTables & T>,
    const Together extends boolean = false,
    Settings extends ValueSchemas | undefined = undefined,
    Secrets extends ValueSchemas | undefined = undefined,
  >(
    declaration: JobDeclaration<BuiltInTables & T, Event, U, Together, Settings, Secrets>,
  ): TypedJob<z.input<Event>, keyof U & string, Values<Settings, Secrets>> => ({
    ...(declaration as Omit<Job, "application">),
    application,
  });

/** Returns an event that starts the job in tests. */
export const exampleEventOf = ({ event, example }: Pick<Job, "event" | "example">): unknown =>
  example ?? sampleOf(event, { io: "input" });

/** What endpoints and jobs have in common. */
export type Work = Pick<Endpoint, "uses" | "transaction" | "settings" | "secrets">;
