import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import {
  type Author,
  changesOf,
  comesAfter,
  inOrder,
  positionOf,
  type RecordedChange,
  type Subject,
} from "../../domain/history/change-entry.ts";
import { changeKinds } from "../../domain/history/change-kinds.ts";
import { recentChanges } from "../../domain/history/recent-changes.ts";
import { keyId } from "../../domain/keys/key-fields.ts";
import type { StoredHistory } from "../../dynamodb/change-history.ts";
import { ApiError, otherError, ValidationError } from "../../shared/errors/api-error.ts";
import { text } from "../../shared/validation/fields.ts";
import { pageLimit, timestamp } from "../admin-fields.ts";
import { adminContract } from "../contract.ts";
import { tokenOrTrustId } from "../tokens/token-fields.ts";
import { changeSources, type HistoryStores } from "./change-sources.ts";
import { decodePosition, encodePosition, historyCursor } from "./cursor.ts";

const filters = z.strictObject({
  person: z.optional(text({ min: 1, max: 300 })).check(
    z.meta({
      description:
        "Only what this person did: a user name, the name that an invocation gave, or the id of a token for what its client did.",
    }),
  ),
  person_prefix: z.optional(text({ min: 1, max: 300 })).check(
    z.meta({
      description:
        "Only changes by people whose names begin with this: users of the web interface, and invokers who gave their names. Not case-sensitive.",
    }),
  ),
  made_by: z
    .optional(z.enum(["admins", "clients"], { error: "must be admins or clients." }))
    .check(
      z.meta({ description: "Only what admins did, also by invocation, or only what clients and workloads did." }),
    ),
  token_id: z.optional(tokenOrTrustId),
  key_id: z.optional(keyId).check(z.meta({ description: "Only changes of this key, even if it has been deleted." })),
  kind: z
    .optional(z.enum(changeKinds, { error: `must be one of ${changeKinds.join(", ")}.` }))
    .check(z.meta({ description: "Only changes of this kind." })),
  since: z.optional(timestamp).check(z.meta({ description: "Only changes at this time or later." })),
  until: z.optional(timestamp).check(z.meta({ description: "Only changes before this time." })),
});

export const history = action({
  contract: adminContract.history,
  summary:
    "Returns who changed which token or key, newest first. A record remembers its creation and its latest changes, 20 at most; dropped is how many older ones of the records that were read are no longer kept, whether or not they would have fitted the filters. The history of a deleted key is kept for 90 days, that of a token as long as the token's record. Exchanges of JWTs are only included if kind or person asks for them, and tokens that changed since. A change may take a second to appear, unless token_id or key_id is sent. While there are more, next_cursor is where the next page begins; each page reads the records of the earlier pages again, and examined is the number of records that were read.",
  uses: {
    tokens: ["history", "changed"],
    keys: ["getWithHistory", "changed"],
    history: ["ofKey", "changed"],
  },
  input: z.extend(filters, { limit: pageLimit, cursor: historyCursor }),
  example: {},
  async run({ limit, cursor, ...wanted }, { stores }) {
    const after = cursor === undefined ? undefined : decodePosition(cursor);
    const isWanted = (change: RecordedChange) =>
      (after === undefined || comesAfter(change, after)) && matches(change, wanted);

    const { token_id, key_id, since } = wanted;
    const found =
      token_id !== undefined || key_id !== undefined
        ? changesOfRecord(await recordHistories({ token_id, key_id }, stores), { limit, isWanted })
        : await recentChanges(changeSources(stores, wanted), { limit, since, isWanted });
    if (!found) throw new ValidationError({ since: [tooLong] });

    const { changes, hasMore, examined, dropped } = found;
    const last = changes.at(-1);
    return {
      changes: changes.map(changeResponse),
      next_cursor: hasMore && last ? encodePosition(positionOf(last)) : null,
      dropped,
      examined,
    };
  },
});

const tooLong = "The since must be given, or be later: too many records have changed to read them all at once.";

type Filters = z.output<typeof filters>;

const matches = (
  { time, kind, author, subject }: RecordedChange,
  { person, person_prefix, made_by, token_id, key_id, since, until, kind: wantedKind }: Filters,
): boolean =>
  (person === undefined || isBy(person, author)) &&
  (person_prefix === undefined || isByNameLike(person_prefix, author)) &&
  (made_by === undefined || (made_by === "clients") === (actorIn(author.by).tokenId !== undefined)) &&
  (token_id === undefined || subject.token_id === token_id) &&
  (key_id === undefined || subject.key_id === key_id) &&
  (wantedKind === undefined || kind === wantedKind) &&
  (since === undefined || time >= since) &&
  (until === undefined || time < until);

/** Reads the histories of one record. For a key, they include the histories of earlier keys with the same id. */
const recordHistories = async (
  { token_id, key_id }: Pick<Filters, "token_id" | "key_id">,
  { tokens, keys, history }: HistoryStores,
): Promise<{ subject: Subject; stored: StoredHistory }[]> => {
  // A change concerns either a token or a key, never both.
  if (token_id !== undefined && key_id !== undefined) return [];
  if (token_id !== undefined) {
    const found = await tokens.history(token_id);
    if (!found) throw otherError("token_not_found");
    return [{ subject: { token_id, key_id: null }, stored: found }];
  }
  if (key_id === undefined) return [];
  const [current, former] = await Promise.all([keys.getWithHistory(key_id), history.ofKey(key_id)]);
  if (!current && former.length === 0) throw new ApiError("key_not_found");
  const subject = { token_id: null, key_id };
  return [...former, ...(current ? [current.history] : [])].map((stored) => ({ subject, stored }));
};

const changesOfRecord = (
  histories: Awaited<ReturnType<typeof recordHistories>>,
  { limit, isWanted }: { limit: number; isWanted: (change: RecordedChange) => boolean },
) => {
  const changes = inOrder(histories.flatMap(({ subject, stored }) => changesOf(subject, stored)).filter(isWanted));
  return {
    changes: changes.slice(0, limit),
    hasMore: changes.length > limit,
    examined: histories.length,
    dropped: histories.reduce((sum, { stored }) => sum + stored.dropped, 0),
  };
};

const changeResponse = ({ time, kind, author, subject, details }: RecordedChange) => ({
  time,
  kind,
  ...subject,
  by: author.by,
  from: author.from ?? null,
  request_id: author.requestId,
  details,
});

/**
 * Checks whether a person made a change. The person is a recorded name, the name in an invocation, or the id of a client's token.
 */
const isBy = (person: string, { by }: Author): boolean => {
  const { name, tokenId } = actorIn(by);
  return by === person || name === person || tokenId === person;
};

const isByNameLike = (prefix: string, { by }: Author): boolean =>
  actorIn(by).name?.toLowerCase().startsWith(prefix.toLowerCase()) === true;

/** Returns the name of the user or invoker, or the id of the client's token. */
const actorIn = (by: string): { name?: string | undefined; tokenId?: string | undefined } => {
  const [kind, id, ...name] = by.split(":");
  if (kind === "token") return { tokenId: id };
  if (kind !== "invoke") return { name: by };
  return name.length > 0 ? { name: name.join(":") } : {};
};
