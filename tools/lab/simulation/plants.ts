import { createHash, randomUUID } from "node:crypto";
import * as z from "zod/mini";
import type * as Tables from "../../../lambdas/domain/tables.ts";
import { type AddressRequest, requestIn } from "../../../lambdas/domain/tokens/address-request.ts";
import { phaseOf } from "../../../lambdas/domain/tokens/life-cycle.ts";
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
const inTrust = inModule<typeof import("../../../lambdas/domain/tokens/trust.ts")>("domain/tokens/trust");
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

interface AnyChange extends Pick<Change<object>, "condition" | "entry"> {
  set: (time: string) => Values;
  remove?: Change<never>["remove"];
}

interface Alteration {
  change?: (change: AnyChange) => Partial<AnyChange>;
  /** `attempt` counts the updates with which one change is tried. */
  update?: (update: Update, change: AnyChange, attempt: number) => Update;
}

/** Alters the changes with these kinds of history entries. */
const inChanges = (kinds: string, { change: alter, update: alterUpdate }: Alteration) =>
  inChangeRecord({
    changeRecord: (real) => (changer, change) => {
      const [, kind] = JSON.parse(change.entry?.("") ?? "[]");
      if (!kinds.split(" ").includes(kind)) return real(changer, change);
      let attempt = 0;
      const update = (one: Update) => {
        attempt += 1;
        return changer.update(alterUpdate?.(one, change, attempt) ?? one);
      };
      return real({ ...changer, update }, { ...change, ...alter?.(change as AnyChange) } as typeof change);
    },
  });

const orIf = (update: Update, condition: string): Update => ({
  ...update,
  condition: `(${update.condition}) OR (${condition})`,
});

/** Makes changes without the part of their condition that stops late attempts. */
const withoutGuard = (kinds: string) =>
  inChanges(kinds, { update: (update, { condition = "" }) => orIf(update, condition) });

/** Makes changes whatever the record is like, and removes fields. */
const withoutCondition = (kinds: string, ...remove: string[]) =>
  inChanges(kinds, {
    change: ({ remove: removed = [] }) => ({ remove: [...(typeof removed === "function" ? [] : removed), ...remove] }),
    update: (update) => orIf(update, "attribute_not_exists(nothing)"),
  });

/** Makes changes that set fields to other values. */
const withFields = (kinds: string, fields: Values | ((values: Values) => Values)) =>
  inChanges(kinds, {
    change: ({ set }) => ({
      set: (time) => ({ ...set(time), ...(typeof fields === "function" ? fields(set(time)) : fields) }),
    }),
  });

/** Makes successors of tokens without one of their fields. */
const forgettingSuccession = (name: "end_set_at" | "trust_id" | "trusted_at") =>
  inSuccession({
    succeed:
      (real) =>
      (tokens, { [name]: _, ...old }, successor) =>
        real(tokens, old, successor),
  });

const withRequest = (change: (request: AddressRequest) => AddressRequest) =>
  inRequests({
    nextRequest: (real) => (previous, next) => {
      const request = real(previous && change(previous), next);
      return request && change(request);
    },
  });

/** Decides whatever request there is, although the admin names another one. */
const ignoringInDecision = (name: "ip" | "code") =>
  inDecision({
    decideRequest: (real) => async (tokens, decision) => {
      const seen = requestIn((await tokens.find(decision.token_id)) ?? {});
      return real(tokens, { ...decision, ...(seen && { [name]: seen[name] }) });
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

/** The bugs by what they break. */
export const plants: Readonly<Record<string, Plant>> = {
  // Late attempts that undo acknowledged changes.
  "a late insertion revives a revoked token": plant(
    89,
    withoutCondition("issued succeeded exchanged", "revoked_at", "revoked_by"),
  ),
  "a late replacement undoes a later one": plant(46, withoutGuard("replaced")),
  "a late deletion deletes a key that was created again": plant(12, withoutGuard("deleted")),
  "a late creation brings a deleted key back": plant(25, withoutGuard("created")),
  "a late change of a limit undoes a later one": plant(298, withoutGuard("updated")),
  "a rotation ignores an edit that came first": plant(239, withoutGuard("rotated")),
  "a dismissal forgets another one": plant(184, withoutGuard("leak_dismissed leak_restored")),
  "a change waits for no clock": plant(12, inDeadline({ operationMilliseconds: () => -20_000 })),
  "a change does not allow for clocks that differ": plant(
    208,
    inDeadline({ operationMilliseconds: (real) => real - 5_000 }),
  ),
  "a repeated change does not compare before it sets": plant(
    60,
    inChanges("created replaced deleted updated rotated revoked", {
      update: (update, { condition = "" }, attempt) => (attempt === 1 ? update : orIf(update, condition)),
    }),
  ),

  // Keys.
  "a creation overwrites a key": plant(2, withoutCondition("created")),
  "a replacement creates a key": plant(20, withoutCondition("replaced")),
  "a deletion leaves nothing": plant(12, withFields("deleted", { delete_at: 1 })),
  "a key that is created again keeps the end of its tombstone": plant(
    92,
    inChanges("created", { change: () => ({ remove: ["deletion_id"] }) }),
  ),
  "a condition is not read": plant(
    86,
    inStore("keys", (keys) => ({ replace: (key, author) => keys.replace(key, author) })),
  ),
  "the cursor of a next page is refused": plant(61, inPaging({ cursor: (real) => () => real(() => false) })),
  "a failed deletion is reported as done": plant(
    84,
    inStore("keys", (keys) => ({ delete: (...call) => keys.delete(...call).catch(() => "deleted") })),
  ),

  // Invitations, rotations and moves.
  "a confirmation ignores the address": plant("life-cycle", ignoringInDecision("ip")),
  "a confirmation ignores the code": plant("life-cycle", ignoringInDecision("code")),
  "a decision that came second is acknowledged": plant(
    17,
    inDecision({
      decideRequest: (real) => async (tokens, decision) => {
        const seen = await tokens.find(decision.token_id);
        return real(tokens, decision).catch((error) => seen ?? Promise.reject(error));
      },
    }),
  ),
  "an invitation is used twice": plant(
    15,
    withoutCondition("redeemed"),
    inLifeCycle({ isUnredeemed: () => (record) => record.invitation_hash !== undefined }),
  ),
  "a rejected request can still be fulfilled": plant(
    "life-cycle",
    inRequests({ isRejected: () => () => false, isConfirmed: () => (request) => request?.decision !== undefined }),
  ),
  "an address is given the code of another one": plant(
    "life-cycle",
    withRequest((request) => ({ ...request, code: "777-777" })),
  ),
  "attempts are not counted": plant(
    "life-cycle",
    withRequest((request) => ({ ...request, attempts: 1 })),
  ),
  "a token moves without a confirmation": plant(
    "life-cycle",
    inLifeCycle({
      phaseOf: (real) => (record, now) => {
        const phase = real(record, now);
        return phase === "moving" ? "move_confirmed" : phase;
      },
    }),
  ),
  "a shorter grace does not end the old token sooner": plant(
    "life-cycle",
    inSuccession({ endOfGrace: (real) => (old, given) => old.expires_at ?? real(old, given) }),
  ),
  "a rotation is dated before an edit that it follows": plant(
    89,
    withFields("rotated", ({ rotated_at }) => ({ rotated_at: secondsAfter(rotated_at, -1) })),
  ),
  "a rotation without a response revokes the successor": plant(
    414,
    inStore("tokens", () => ({ settle: async () => undefined })),
  ),
  "a revocation forgets a successor that is being made": plant(
    443,
    inSuccession({
      revokeToken: (real) => (tokens, seen, who) => real(tokens, { successor_id: "known", ...seen }, who),
    }),
  ),
  "a token cannot be revoked from elsewhere": plant(
    "life-cycle",
    inSuccession({
      revokeToken: (real) => async (tokens, seen, who) =>
        "ip" in seen && who.author.from && who.author.from !== seen.ip ? undefined : real(tokens, seen, who),
    }),
  ),
  "a replaced token is not revoked": plant(
    611,
    inStore("tokens", (tokens) => ({
      async revoke(id, ...call) {
        const token = await tokens.find(id);
        const isReplaced = token && phaseOf(token, new Date().toISOString()) === "replaced";
        return isReplaced ? { made: false, token } : tokens.revoke(id, ...call);
      },
    })),
  ),
  "a token is revoked twice": plant("life-cycle", withoutCondition("revoked")),
  "an update revives a revoked token": plant(298, withoutCondition("updated", "revoked_at", "revoked_by")),
  "an end that an admin has set is not read": plant(103, forgettingSuccession("end_set_at")),
  "a repeated call gives another value": plant(
    7,
    inClientChanges({
      repeatedValue:
        (real) =>
        (...call) =>
          real(...call) && formatTokenValue(generateTokenValue()),
    }),
  ),
  "a value is repeated after its time": plant(
    "life-cycle",
    inClientChanges({ repeatedValue: (real) => (record, sent, now) => real(record, sent, secondsAfter(now, -3_600)) }),
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
  "a trust ends only by the clock": plant(
    2911,
    withFields("trust_ended", { revoked_at: undefined, revoked_by: undefined }),
  ),
  "a token is not looked at under its trust": plant(79, inTrust({ underTrust: () => async (token) => token })),
  "a trust is made in place of a live one": plant(7, withoutCondition("trusted")),
  "trusting again revives old tokens": plant(183, withFields("trusted", { trusted_at: "2026-11-21T07:15:00.004Z" })),
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
  "a token is counted apart from its trust": plant(79, withFields("exchanged", { limit_id: undefined })),
  "a successor does not know its trust": plant(171, forgettingSuccession("trust_id")),
  "a successor does not know since when its workload is trusted": plant(103, forgettingSuccession("trusted_at")),

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
    3,
    inLifeCycle({
      tokenState:
        (real) =>
        ({ revoked_at: _, ...record }, now) =>
          real(record, now),
    }),
  ),
  "expiry is compared with the wrong time": plant(
    7,
    inLifeCycle({ tokenState: (real) => (record, now) => real(record, `${now.slice(0, 13)}:00:00.000Z`) }),
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
    withFields("issued invited succeeded", { comment: "none" }),
  ),
};
