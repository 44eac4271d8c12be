import { createHash, randomUUID } from "node:crypto";
import * as z from "zod/mini";
import type * as Tables from "../../../lambdas/domain/tables.ts";
import { type AddressRequest, requestIn } from "../../../lambdas/domain/tokens/address-request.ts";
import { formatTokenValue, generateTokenValue } from "../../../lambdas/domain/tokens/token-value.ts";
import type { Values } from "../../../lambdas/dynamodb/records.ts";
import type { Change, StoreOf, Table, Update } from "../../../lambdas/dynamodb/table.ts";
import { text } from "../../../lambdas/shared/validation/fields.ts";

/** Functions that stand in for exports of a module below `lambdas/`. Each gets the real export, on which it usually builds. */
interface StandIn {
  module: string;
  exports: Readonly<Record<string, (real: never) => unknown>>;
}

/** A bug in the service, which the laboratory must find. */
export interface Plant {
  /** The seed from which schedules find it, or the experiment that does. */
  foundBy: number | "life-cycle" | "upgrade";
  standIns: readonly StandIn[];
}

export const plant = <FoundBy extends Plant["foundBy"]>(foundBy: FoundBy, ...standIns: StandIn[]) => ({
  foundBy,
  standIns,
});

/** The type of an export, without the exact value of a number. */
type Wide<Type> = Type extends number ? number : Type;
type Exports<Module> = { [Name in keyof Module]?: (real: Module[Name]) => Wide<Module[Name]> };

export const inModule =
  <Module>(module: string) =>
  (exports: Exports<Module>): StandIn => ({ module, exports: exports as StandIn["exports"] });

export const inChangeRecord = inModule<typeof import("../../../lambdas/dynamodb/changes.ts")>("dynamodb/changes");
export const inChangeHistory =
  inModule<typeof import("../../../lambdas/dynamodb/change-history.ts")>("dynamodb/change-history");
const inDeadline = inModule<typeof import("../../../lambdas/dynamodb/client/deadline.ts")>("dynamodb/client/deadline");
const inOpenTable = inModule<typeof import("../../../lambdas/dynamodb/open-table.ts")>("dynamodb/open-table");
const inEntry =
  inModule<typeof import("../../../lambdas/domain/history/change-entry.ts")>("domain/history/change-entry");
const inRequests = inModule<typeof import("../../../lambdas/domain/tokens/address-request.ts")>(
  "domain/tokens/address-request",
);
const inAuthentication =
  inModule<typeof import("../../../lambdas/domain/tokens/authenticate.ts")>("domain/tokens/authenticate");
const inClientChanges = inModule<typeof import("../../../lambdas/domain/tokens/by-client/client-changes.ts")>(
  "domain/tokens/by-client/client-changes",
);
const inJwt = inModule<typeof import("../../../lambdas/domain/tokens/by-workload/read-jwt.ts")>(
  "domain/tokens/by-workload/read-jwt",
);
const inLifeCycle = inModule<typeof import("../../../lambdas/domain/tokens/life-cycle.ts")>("domain/tokens/life-cycle");
const inSuccession =
  inModule<typeof import("../../../lambdas/domain/tokens/succession.ts")>("domain/tokens/succession");
const inFields = inModule<typeof import("../../../lambdas/domain/tokens/token-store.ts")>("domain/tokens/token-store");
const inValue = inModule<typeof import("../../../lambdas/domain/tokens/token-value.ts")>("domain/tokens/token-value");
const inPaging = inModule<typeof import("../../../lambdas/shared/validation/paging.ts")>("shared/validation/paging");
const inDecision =
  inModule<typeof import("../../../lambdas/admin/tokens/decide-request.ts")>("admin/tokens/decide-request");

type Store<Name extends keyof typeof Tables> = StoreOf<(typeof Tables)[Name]>;

/** Replaces operations of a store. */
const inStore = <Name extends keyof typeof Tables>(
  name: Name,
  alter: (store: Store<Name>, table: Table<object>) => Partial<Store<Name>>,
): StandIn => ({
  module: "domain/tables",
  exports: {
    [name]: (real: { createStore: (table: Table<object>) => Store<Name> }) => ({
      ...real,
      createStore: (table: Table<object>) => {
        const store = real.createStore(table);
        return { ...store, ...alter(store, table) };
      },
    }),
  },
});

interface AnyChange extends Pick<Change<object>, "condition"> {
  set: (time: string) => Values;
}

interface Alteration {
  change?: (change: AnyChange) => Partial<AnyChange>;
  update?: (update: Update, change: AnyChange) => Update;
}

/** Alters the changes with these kinds of history entries. */
const inChanges = (kinds: string, { change: alter, update: alterUpdate }: Alteration) =>
  inChangeRecord({
    changeRecord: (real) => (changer, change) => {
      const [, kind] = JSON.parse(change.entry?.("") ?? "[]");
      if (!kinds.split(" ").includes(kind)) return real(changer, change);
      const update = (one: Update) => changer.update(alterUpdate?.(one, change) ?? one);
      return real({ ...changer, update }, { ...change, ...alter?.(change as AnyChange) } as typeof change);
    },
  });

const orIf = (update: Update, condition: string): Update => ({
  ...update,
  condition: `(${update.condition}) OR (${condition})`,
});

/** Makes changes without the part of their condition that stops late attempts. */
const withoutGuard = (kind: string) =>
  inChanges(kind, { update: (update, { condition = "" }) => orIf(update, condition) });

/** Makes changes that set fields to other values. */
const withFields = (kinds: string, fields: (values: Values) => Values) =>
  inChanges(kinds, { change: ({ set }) => ({ set: (time) => ({ ...set(time), ...fields(set(time)) }) }) });

const withRequest = (change: (request: AddressRequest) => AddressRequest) =>
  inRequests({
    nextRequest: (real) => (previous, next) => {
      const request = real(previous && change(previous), next);
      return request && change(request);
    },
  });

const secondsAfter = (time: unknown, seconds: number): string =>
  new Date(Date.parse(String(time)) + seconds * 1_000).toISOString();

const otherHash = (secret: string): string => createHash("sha512-256").update(secret).digest("base64url");

/** Reads from a replica. */
const inReplica = inOpenTable({
  openTable: (real) => (declaration, place) => {
    place.client.middlewareStack.add(
      (next) => (args) =>
        next("ConsistentRead" in args.input ? { ...args, input: { ...args.input, ConsistentRead: false } } : args),
      { step: "initialize", name: "replica", override: true },
    );
    return real(declaration, place);
  },
});

/** The bugs by what they break. Each shows that one rule of the judges, or one comparison with the model, finds something. */
export const plants: Readonly<Record<string, Plant>> = {
  // Late attempts that undo acknowledged changes.
  "a late replacement undoes a later one": plant(46, withoutGuard("replaced")),
  "a rotation ignores an edit that came first": plant(239, withoutGuard("rotated")),
  "a change does not allow for clocks that differ": plant(
    208,
    inDeadline({ operationMilliseconds: (real) => real - 5_000 }),
  ),

  // Keys.
  "a creation overwrites a key": plant(
    2,
    inChanges("created", { update: (update) => orIf(update, "attribute_not_exists(nothing)") }),
  ),
  "a deletion leaves nothing": plant(
    12,
    withFields("deleted", () => ({ delete_at: 1 })),
  ),
  "a condition is not read": plant(
    86,
    inStore("keys", (keys) => ({ replace: (key, author) => keys.replace(key, author) })),
  ),
  "the cursor of a next page is rejected": plant(61, inPaging({ cursor: (real) => () => real(() => false) })),

  // Invitations, rotations and moves.
  "a confirmation ignores the code": plant(
    "life-cycle",
    inDecision({
      decideRequest: (real) => async (tokens, decision) => {
        const seen = requestIn((await tokens.find(decision.token_id)) ?? {});
        return real(tokens, { ...decision, ...(seen && { code: seen.code }) });
      },
    }),
  ),
  "a decision that came second is acknowledged": plant(
    17,
    inDecision({
      decideRequest: (real) => async (tokens, decision) => {
        const seen = await tokens.find(decision.token_id);
        return real(tokens, decision).catch((error) => seen ?? Promise.reject(error));
      },
    }),
  ),
  "an address is given the code of another one": plant(
    "life-cycle",
    withRequest((request) => ({ ...request, code: "777-777" })),
  ),
  "attempts are not counted": plant(
    "life-cycle",
    withRequest((request) => ({ ...request, attempts: 1 })),
  ),
  "a shorter grace does not end the old token sooner": plant(
    "life-cycle",
    inSuccession({ endOfGrace: (real) => (old, given) => old.expires_at ?? real(old, given) }),
  ),
  "a rotation is dated before an edit that it follows": plant(
    89,
    withFields("rotated", ({ rotated_at }) => ({ rotated_at: secondsAfter(rotated_at, -1) })),
  ),
  "a revocation forgets a successor that is being made": plant(
    443,
    inSuccession({
      revokeToken: (real) => (tokens, seen, who) => real(tokens, { successor_id: "known", ...seen }, who),
    }),
  ),
  "a repeated call gives another value": plant(
    7,
    inClientChanges({
      repeatedValue:
        (real) =>
        (...call) =>
          real(...call) && formatTokenValue(generateTokenValue()),
    }),
  ),
  "a value can be derived after its first use": plant(
    "life-cycle",
    inStore("tokens", (_, table) => ({
      recordUse: async (token_id, used_at) => {
        await table.update({ token_id }, { expression: "SET last_used_at = :used_at", values: { used_at } });
      },
    })),
  ),

  // Workloads.
  "trusting again revives old tokens": plant(
    183,
    withFields("trusted", () => ({ trusted_at: "2026-11-21T07:15:00.004Z" })),
  ),
  "a trust that names its earlier address again revives tokens": plant(
    171,
    inStore("tokens", (tokens) => ({
      changeTrust: (seen, change, note) => tokens.changeTrust({ ...seen, ip: change.ip ?? seen.ip }, change, note),
    })),
  ),
  "a JWT makes another token each time": plant(103, inJwt({ signedPart: (real) => (jwt) => real(jwt) + randomUUID() })),
  "a token outlives its trust": plant(
    79,
    withFields("exchanged", ({ expires_at }) => ({ expires_at: secondsAfter(expires_at, 60) })),
  ),
  "a token is counted apart from its trust": plant(
    79,
    withFields("exchanged", () => ({ limit_id: undefined })),
  ),
  "a successor does not know since when its workload is trusted": plant(
    103,
    inSuccession({
      succeed:
        (real) =>
        (tokens, { trusted_at: _, ...old }, successor) =>
          real(tokens, old, successor),
    }),
  ),

  // Histories.
  "a change has no entry": plant(
    1,
    inChangeHistory({ entryAddition: () => () => ({ set: {}, clause: "", values: {} }), hasEntry: () => () => true }),
  ),
  "a creation is forgotten when a history makes room": plant(
    13,
    inChangeHistory({
      entryAddition: (real) => (entry, known) => {
        const { set, ...addition } = real(entry, known);
        const { history } = set;
        return { ...addition, set: history instanceof Set ? { ...set, history: new Set([...history].slice(1)) } : set };
      },
    }),
  ),
  "an entry names another person": plant(
    1,
    inEntry({
      formatEntry: (real) => (time, note) => real(time, { ...note, author: { ...note.author, by: "invoke:somebody" } }),
    }),
  ),
  "a v_code is shown although that could not be recorded": plant(
    610,
    inStore("history", (history) => ({ recordReveal: (...reveal) => history.recordReveal(...reveal).catch(() => {}) })),
  ),

  // The token check.
  "any secret is accepted": plant(8, inValue({ matchesHash: () => () => true })),
  "an address is taken from the wrong place": plant(
    6,
    inAuthentication({
      authenticate: (real) => (sent, tokens) => real({ ...sent, sourceIp: "198.51.100.7" }, tokens),
    }),
  ),
  "a revocation is not read": plant(
    4,
    inLifeCycle({
      tokenState:
        (real) =>
        ({ revoked_at: _, ...record }, now) =>
          real(record, now),
    }),
  ),
  "records are read from a replica": plant(1, inReplica),

  // Each is consistent within its version, but two versions with one database must not differ in it.
  "another hash": plant(
    "upgrade",
    inValue({ hashSecret: () => otherHash, matchesHash: () => (secret, hash) => otherHash(secret) === hash }),
  ),
  "a narrower field": plant(
    "upgrade",
    inFields({
      tokenSchema: (real) => z.extend(real, { comment: text({ min: 1, max: 255 }) }),
    }),
    withFields("issued invited succeeded", () => ({ comment: "none" })),
  ),
};
