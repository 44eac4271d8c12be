import { dueNotices, dueTrustNotices, leakNotice } from "../admin/notices/due-notices.ts";
import { tokenResponse } from "../admin/tokens/token-response.ts";
import { trustResponse } from "../admin/trusts/trust-response.ts";
import type { Notice } from "../domain/notices/notice.ts";
import {
  type Channel,
  channels,
  type NoticeRecord,
  type NoticeStore,
  noticeOf,
} from "../domain/notices/notices-table.ts";
import type { TokenRecord, TokenStore } from "../domain/tokens/token-store.ts";
import { asTrust } from "../domain/tokens/trust.ts";
import type { UrgentCall } from "../domain/usage/request-line.ts";
import { inGroups } from "./in-groups.ts";

const pageSize = 1_000;

/** An attempt that began this long ago has ended, because the function's timeout is shorter. */
const abandonedMs = 15 * 60 * 1000;

/** Maximum characters for the names of other notices in one notice, because events and messages have a maximum size. */
const namedCharacters = 10_000;

/** Called with the error for each unreadable record. */
type Unreadable = (error: unknown) => void;

/** Reads all stored notices. */
export const readNotices = async (
  store: Pick<NoticeStore, "list">,
  unreadable: Unreadable,
): Promise<NoticeRecord[]> => {
  const notices: NoticeRecord[] = [];
  let after: string | undefined;
  do {
    const page = await store.list({ limit: pageSize, after, unreadable });
    notices.push(...page.notices);
    after = page.next;
  } while (after !== undefined);
  return notices;
};

/** Checks all tokens and stores new notices. Returns how many notices were new. */
export const findNotices = async (
  known: readonly NoticeRecord[],
  { tokens, notices }: { tokens: Pick<TokenStore, "list">; notices: Pick<NoticeStore, "add"> },
  { now, unreadable }: { now: string; unreadable: Unreadable },
): Promise<number> => {
  const knownIds = new Set(known.map(({ notice_id }) => notice_id));
  let found = 0;
  let after: string | undefined;
  do {
    const page = await tokens.list({ limit: pageSize, after, unreadable });
    const due = page.tokens.flatMap((record) => noticesOf(record, now));
    await inGroups(
      due.filter(({ notice_id }) => !knownIds.has(notice_id)),
      async (notice) => {
        const { isNew } = await notices.add(notice, now);
        if (isNew) found += 1;
      },
    );
    after = page.next;
  } while (after !== undefined);
  return found;
};

const noticesOf = (record: TokenRecord, now: string): Notice[] => {
  const trust = asTrust(record);
  return trust ? dueTrustNotices(trustResponse(trust), now) : dueNotices(tokenResponse(record), now);
};

/** Finds notices that may have been sent and will not be sent again. Stores a notice that names them. */
export const findUncertain = async (
  known: readonly NoticeRecord[],
  notices: Pick<NoticeStore, "add" | "settle">,
  now: string,
): Promise<number> => {
  let found = 0;
  for (const channel of channels) {
    const abandoned = known.filter((record) => isAbandoned(record, channel, now));
    for (const [id = "", records] of Map.groupBy(abandoned, (record) => record[`${channel}_attempt`])) {
      const uncertain = {
        notice_id: `delivery_uncertain:${id}`,
        kind: "delivery_uncertain" as const,
        token_id: null,
        comment: "",
        client: null,
        ip: null,
        details: { channel, notice_ids: namesOf(records.map(namedBy)) },
      };
      // Stored first, so that a crash in between cannot hide that something may not have been delivered.
      await notices.add(uncertain, now);
      await inGroups(records, ({ notice_id }) => notices.settle(notice_id, { channel, id }, "uncertain"));
      found += records.length;
    }
  }
  return found;
};

/** Lists the first names, and says how many others there are. */
const namesOf = (names: readonly string[]): string => {
  let named = names[0] ?? "";
  for (const [index, name] of names.entries()) {
    if (index === 0) continue;
    if (named.length + name.length > namedCharacters) return `${named}, and ${names.length - index} more`;
    named = `${named}, ${name}`;
  }
  return named;
};

/** Returns the id of a notice. For a notice about uncertain deliveries, returns the ids of the notices that it names. */
const namedBy = (record: NoticeRecord): string =>
  record.kind === "delivery_uncertain" ? (noticeOf(record).details.notice_ids ?? "") : record.notice_id;

const isAbandoned = (record: NoticeRecord, channel: Channel, now: string): boolean =>
  record[channel] === "sending" &&
  Date.parse(now) - Date.parse(record[`${channel}_attempt_at`] ?? record.found_at) > abandonedMs;

interface Stores {
  tokens: Pick<TokenStore, "find">;
  notices: Pick<NoticeStore, "add">;
}

/**
 * Stores notices that cannot wait for the daily search: leaks, and requests for confirmation. Returns the notices to send: new
 * ones, and those that could not be sent before.
 */
export const addImmediateNotices = async (
  calls: readonly UrgentCall[],
  { tokens, notices }: Stores,
  now: string,
): Promise<NoticeRecord[]> => {
  const unsent: NoticeRecord[] = [];
  for (const [tokenId, ofToken] of Map.groupBy(calls, ({ token_id }) => token_id)) {
    const record = await tokens.find(tokenId);
    if (!record) continue;
    const token = tokenResponse(record);
    const leaks = ofToken.flatMap((call) => (call.leak ? [leakNotice(token, call.leak)] : []));
    const waiting = ofToken.some(({ leak }) => leak === undefined)
      ? dueNotices(token, now).filter(({ kind }) => kind === "confirmation_waiting")
      : [];
    for (const notice of [...leaks, ...waiting]) {
      const added = await notices.add(notice, now);
      if (added.unsent) unsent.push(added.unsent);
    }
  }
  return unsent;
};
