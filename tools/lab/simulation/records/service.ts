import type { Context } from "aws-lambda";
import { connect, createStores } from "../../../../lambdas/domain/create-stores.ts";
import { type ChangesPage, changesOn } from "../../../../lambdas/dynamodb/change-feed.ts";
import { withinInvocation } from "../../../../lambdas/dynamodb/client/deadline.ts";
import type { Connection } from "../../../../lambdas/dynamodb/client/sdk-http-handler.ts";
import { transactionOn } from "../../../../lambdas/dynamodb/transaction.ts";
import type { PlannedOperation, Transaction } from "../../../../lambdas/dynamodb/transaction-types.ts";
import { versionOf } from "../../../../lambdas/dynamodb/versions.ts";
import { ApiError } from "../../../../lambdas/shared/errors/api-error.ts";
import type { Handler } from "../service.ts";
import {
  type Content,
  type ContentPatch,
  changeNamed,
  conditionOf,
  type Follow,
  placeOfRecord,
  type RecordCall,
  type RecordName,
  type RecordStep,
  recordTables,
} from "./tables.ts";

/* The function under test. To plant a bug, this file and all of its imports are bundled with the bug. */

/** A call, and the `updated_at` of the version that it requires, or the cursor where the reader continues. */
export type RecordEvent = RecordCall & { seen?: string };

/** A record as a store returns it. */
export type StoredContent = Content & { parcel_id: string; number?: number; created_at: string; updated_at: string };

/** The result of an operation. The outcome of a read is `found`. */
export interface Result {
  outcome: string;
  record?: StoredContent | undefined;
}

/** A page of changes as a store returns it. */
export type Changes = ChangesPage<StoredContent, { parcel_id: string; number?: number }>;

/** The body of a response: the results of a call's steps, or the changes that it has read. */
export interface RecordBody {
  code?: string;
  results?: (Result | undefined)[];
  changes?: Changes[];
}

const operations = ["create", "put", "update", "delete", "get", "changes"] as const;
const uses = { parcels: operations, events: operations } as const;

type Stores = ReturnType<typeof openStores>;

const openStores = (toDatabase: Connection) => {
  const connection = connect({ connection: toDatabase });
  connection.client.middlewareStack.remove("httpSigningMiddleware");
  const stores = createStores<typeof recordTables, typeof uses>(uses, recordTables, {
    connection,
    transactionOn,
    changesOn,
  });
  return stores as typeof stores & { transaction: Transaction<typeof recordTables, typeof uses> };
};

/** Creates the function that makes calls of the stores. */
export const createFunctions = (toDatabase: Connection): ((name: string) => Handler) => {
  const stores = openStores(toDatabase);
  const serve = withinInvocation(async (event: RecordEvent, _: Context) => respond(await bodyOf(event, stores)));
  return () => async (event, context) =>
    serve(event as RecordEvent, context).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      return respond({ code: error.code }, error.status);
    });
};

const respond = (body: RecordBody, statusCode = body.code === undefined ? 200 : 409) => ({
  statusCode,
  body: JSON.stringify(body),
});

/** The outcomes that count as success. */
const successes: readonly string[] = ["found", "created", "unchanged", "replaced", "updated", "deleted"];

const bodyOf = async (event: RecordEvent, stores: Stores): Promise<RecordBody> => {
  switch (event.operation) {
    case "follow":
      return follow(event, stores);
    case "get":
      return { results: [{ outcome: "found", record: await get(event.name, stores) }] };
    case "transaction": {
      const { done, results } = await stores.transaction((tx) =>
        event.steps.map((step) => make<PlannedOperation<Result>>(step, tx)),
      );
      return { results: [...results], ...(!done && { code: "refused" }) };
    }
    default: {
      const result = await make<Promise<Result>>(event, stores);
      return { results: [result], ...(!successes.includes(result.outcome) && { code: result.outcome }) };
    }
  }
};

const get = (name: RecordName, { parcels, events }: Stores): Promise<StoredContent | undefined> => {
  const place = placeOfRecord(name);
  return place.table === "parcels" ? parcels.get(place.id) : events.get(place.id);
};

/** Makes a change of one record, or plans it. */
const make = <Made>(
  step: RecordStep & { seen?: string },
  { parcels, events }: { parcels: ParcelStore<Made>; events: EventStore<Made> },
): Made => {
  const place = placeOfRecord(step.name);
  return place.table === "parcels" ? stepOn(parcels, place, step) : stepOn(events, place, step);
};

type ParcelStore<Made> = ChangingStore<string, { parcel_id: string }, Made>;
type EventStore<Made> = ChangingStore<
  { parcel_id: string; number: number },
  { parcel_id: string; number: number },
  Made
>;

/** The operations that change records, whatever their key. */
interface ChangingStore<Id, Key, Made> {
  create(record: Content & Key): Made;
  put(record: Content & Key, requirements: { ifMatch?: string[] }): Made;
  update(id: Id, patch: ContentPatch | ((stored: Content) => ContentPatch), requirements: object): Made;
  delete(id: Id, requirements: object): Made;
}

const stepOn = <Id, Key, Made>(
  store: ChangingStore<Id, Key, Made>,
  { id, key }: { id: Id; key: Key },
  step: RecordStep & { seen?: string },
): Made => {
  const ifMatch = step.seen === undefined ? {} : { ifMatch: [versionOf({ updated_at: step.seen })] };
  switch (step.operation) {
    case "create":
      return store.create({ ...key, ...step.content });
    case "put":
      return store.put({ ...key, ...step.content }, ifMatch);
    case "update": {
      const { patch, states } = changeNamed(step.change);
      return store.update(id, patch, { ...ifMatch, if: conditionOf(states) });
    }
    case "delete":
      return store.delete(id, { ...ifMatch, if: conditionOf(step.states) });
  }
};

const follow = async (
  { feed, limit, pages, seen }: Follow & Pick<RecordEvent, "seen">,
  { parcels, events }: Stores,
): Promise<RecordBody> => {
  const changes: Changes[] = [];
  do {
    const request = { limit, cursor: changes.at(-1)?.cursor ?? seen };
    const page: Changes | undefined =
      feed === "parcels" ? await parcels.changes(request) : await events.changes({ parcel_id: feed }, request);
    if (!page) return { code: "cursor_expired" };
    changes.push(page);
  } while (changes.at(-1)?.more && changes.length < pages);
  return { changes };
};
