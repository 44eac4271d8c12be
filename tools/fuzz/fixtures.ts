import assert from "node:assert/strict";
import { openStore } from "../../lambdas/dynamodb/open-table.ts";
import * as declaredTables from "../../lambdas/resources/tables.ts";
import { unknownIp } from "../../lambdas/resources/tokens/ip-address.ts";
import type { TokenRecord } from "../../lambdas/resources/tokens/token-store.ts";
import { formatTokenText, generateTokenText } from "../../lambdas/resources/tokens/token-text.ts";
import { exampleRequest, exampleToken } from "../../lambdas/resources/tokens/tokens-table.ts";
import type { MemoryDatabase } from "../support/memory-database.ts";
import { accessTables } from "../support/table-states.ts";
import { absentId, dayMs, decided, inMs, newInvitation, newToken, requestField } from "../support/tokens.ts";
import { invitationNames, type TokenName, tokenNames } from "./case.ts";

/** The address that an admin has confirmed for the tokens that can be moved. */
const confirmedIp = exampleRequest.ip;

const elsewhereIp = "203.0.113.77";

/** Made anew for each round, because a request is valid for only some minutes. */
const requests: { [Name in TokenName]?: () => string } = {
  active: () => requestField(),
  moving: () => requestField(decided("confirmed")),
  waiting: () => requestField(),
};

/** How many calls a minute a limited token, or a limited invitation, is allowed. */
export const callsPerMinute = 6;

/** The fields in which tokens and invitations differ from new ones. */
const tokenFields: { [Name in TokenName]?: Partial<TokenRecord> } = {
  elsewhere: { ip: elsewhereIp },
  expired: { expires_at: inMs(-dayMs) },
  revoked: { revoked_at: inMs(-dayMs), revoked_by: "invoke:revoke-1" },
  rotated: {
    expires_at: inMs(dayMs),
    rotated_at: inMs(-dayMs),
    rotated_by: "invoke:rotate-1",
    successor_id: absentId(),
  },
  limited: { rate_limit: callsPerMinute },
  unaddressed: { ip: unknownIp },
  waiting: { ip: unknownIp },
  redeemed: { redeemed_at: inMs(-dayMs) },
  lapsed: { expires_at: inMs(-dayMs) },
  withdrawn: { revoked_at: inMs(-dayMs), revoked_by: "invoke:revoke-1" },
  invitedLimited: { rate_limit: callsPerMinute },
};

const isInvitation = (name: string): boolean => invitationNames.some((invitation) => invitation === name);

const keyIds = ["1234567", "a/b ü", "__proto__", "constructor"];

/** The tokens and keys in the tables before each case, and direct ways to inspect and restore them. */
export const createFixtures = (
  { client, operations }: Pick<MemoryDatabase, "client" | "operations">,
  tables: { keys: string; tokens: string },
) => {
  const keys = openStore(declaredTables.keys, { client, tableName: tables.keys });
  const tokens = openStore(declaredTables.tokens, { client, tableName: tables.tokens });
  const access = accessTables(operations, (store) => (store === "keys" ? tables.keys : tables.tokens));
  const longAgo = { created_at: inMs(-dayMs), updated_at: inMs(-dayMs) };
  const stored = tokenNames.map((name) => {
    const fields = tokenFields[name] ?? {};
    return { name, ...(isInvitation(name) ? newInvitation(fields) : newToken(fields)) };
  });
  const issued = [...stored, { name: "unknown", ...newToken() }];
  const vCodeOf = (index: number) => `stored-secret-${index}-`.padEnd(64, "s");

  const fillings = new Map(
    issued.flatMap(({ name, text, record: { token_id } }) => {
      const last = text.at(-10) === "a" ? "b" : "a";
      const [kind, otherKind] = isInvitation(name)
        ? (["invitation", "token"] as const)
        : (["token", "invitation"] as const);
      return [
        [`<<${name}>>`, text],
        [`<<${name}:id>>`, token_id],
        [`<<${name}:kind>>`, formatTokenText({ token_id, secret: secretOf(text) }, otherKind)],
        // The correct id with another secret and the correct checksum.
        [`<<${name}:forged>>`, formatTokenText({ ...generateTokenText(), token_id }, kind)],
        [`<<${name}:mistyped>>`, text.slice(0, -10) + last + text.slice(-9)],
      ];
    }),
  );

  return {
    keys,
    keyIds,
    /** Replaces the placeholders in a text with real tokens. */
    fill: (text: string): string =>
      text.replace(/<<\w+(:\w+)?>>/g, (placeholder) => fillings.get(placeholder) ?? placeholder),
    /** The name of the token or invitation with this text. */
    nameOf: (text: string | undefined) => stored.find((one) => one.text === text)?.name,
    /** The address of all tokens and invitations that have one, except for `elsewhere`. */
    validIp: exampleToken.ip,
    elsewhereIp,
    confirmedIp,
    /** The texts that must not be in the log or in a response: the secrets of the tokens and their hashes. */
    tokenSecrets: issued.flatMap(({ text, record: { secret_hash, invitation_hash = secret_hash } }) => [
      secretOf(text),
      secret_hash,
      invitation_hash,
    ]),
    storedVCodes: keyIds.map((_, index) => vCodeOf(index)),
    /** Restores the tokens and the keys, and returns the keys: their v_codes by key_id. */
    async restoreAll(): Promise<Map<string, string>> {
      for (const { name, record } of stored) {
        const request = requests[name]?.();
        if (request) record.request = request;
      }
      await this.restoreTokens();
      await access.fill({ keys: keyIds.map((key_id, index) => ({ key_id, v_code: vCodeOf(index), ...longAgo })) });
      return new Map(keyIds.map((key_id, index) => [key_id, vCodeOf(index)]));
    },
    async assertTokensKept(): Promise<void> {
      for (const { name, record } of stored) {
        const { last_used_at: _, ...found } = (await tokens.find(record.token_id)) ?? {};
        assert.deepEqual(found, record, `a refused request changed the token ${name}`);
      }
    },
    async restoreTokens(): Promise<void> {
      for (const { record } of stored) await access.put("tokens", record);
    },
  };
};

const secretOf = (text: string): string => text.slice(31, -6);

export type Fixtures = ReturnType<typeof createFixtures>;
