import type { Service } from "../../../lambdas/declaration/service.ts";
import { tables as ownTables } from "../../../lambdas/domain/built-in-stores.ts";
import { unknownIp } from "../../../lambdas/domain/tokens/ip-address.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { formatTokenValue, generateTokenValue, parseTokenValue } from "../../../lambdas/domain/tokens/token-value.ts";
import { exampleRequest, exampleToken, exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import type { Item } from "../../../lambdas/dynamodb/records.ts";
import type { MemoryDatabase } from "../support/memory-database.ts";
import { accessTables } from "../support/table-access.ts";
import { recordsIn, type StateName, withShard } from "../support/table-states.ts";
import { absentId, dayMs, decided, inMs, newInvitation, newToken, requestField } from "../support/tokens.ts";
import { invitations, jwtPlaceholder, type Name, otherClient, otherClientsOf, tokens } from "./case.ts";

/**
 * The address that tokens and invitations are bound to, the address of `elsewhere`, and the address that an admin has confirmed.
 */
export const places = { home: exampleToken.ip, elsewhere: "203.0.113.77", confirmed: exampleRequest.ip };

/** The fields in which tokens and invitations differ from new ones. */
const fields: { [OfToken in Name]?: Partial<TokenRecord> } = {
  elsewhere: { ip: places.elsewhere },
  expired: { expires_at: inMs(-dayMs) },
  revoked: { revoked_at: inMs(-dayMs), revoked_by: "invoke:revoke-1" },
  rotated: {
    expires_at: inMs(dayMs),
    rotated_at: inMs(-dayMs),
    rotated_by: "invoke:rotate-1",
    successor_id: absentId(),
  },
  unaddressed: { ip: unknownIp },
  waiting: { ip: unknownIp },
  redeemed: { redeemed_at: inMs(-dayMs) },
  lapsed: { expires_at: inMs(-dayMs) },
  withdrawn: { revoked_at: inMs(-dayMs), revoked_by: "invoke:revoke-1" },
};

/** Created when needed, because a request is valid for only a few minutes. */
const requests: { [OfToken in Name]?: () => string } = {
  active: () => requestField(),
  moving: () => requestField(decided("confirmed")),
  waiting: () => requestField(),
};

const vCodes = new Map(
  ["1234567", "a/b ü", "__proto__", "constructor"].map((keyId, index) => [
    keyId,
    `stored-secret-${index}-`.padEnd(64, "s"),
  ]),
);

const secretIn = (text: string): string => parseTokenValue(text)?.secret ?? "";

/** The contents of the tables. */
export interface Contents {
  tokens: string;
  keys: Item[];
  /** Everything that requests for resources can change, except the effects of using a token. */
  lasting: string;
  /** Everything that requests for resources can change. */
  whole: string;
}

/**
 * Creates the tokens, keys and application records that are in the tables before each case. Offers direct ways to inspect and
 * restore them.
 */
export const createFixtures = (
  service: Service,
  { operations }: Pick<MemoryDatabase, "operations">,
  { tableOf, jwt }: { tableOf: (store: string) => string; jwt: string },
) => {
  const { tables, exampleClient } = service;
  const access = accessTables(tables, operations, tableOf);
  const applicationTables = Object.entries(tables).filter(([store]) => !(store in ownTables));
  const ofClient = exampleClient === undefined ? {} : { client: exampleClient };
  const stored = [
    ...tokens.map((name) => ({ name, kind: "token" as const, ...newToken({ ...ofClient, ...fields[name] }) })),
    ...invitations.map((name) => ({ name, kind: "invitation" as const, ...newInvitation(fields[name]) })),
  ];
  const ofOthers = otherClientsOf(service).map((client, index) => ({
    name: otherClient(index),
    kind: "token" as const,
    ...newToken({ client }),
  }));
  const valid = [...stored, ...ofOthers];
  const issued = [...valid, { name: "unknown", kind: "token" as const, ...newToken() }];
  const fillings = new Map<string, string>([
    [jwtPlaceholder, jwt],
    ...issued.flatMap(({ name, kind, text, record: { token_id } }): [string, string][] => [
      [`<<${name}>>`, text],
      [`<<${name}:id>>`, token_id],
      [
        `<<${name}:kind>>`,
        formatTokenValue({ token_id, secret: secretIn(text) }, kind === "token" ? "invitation" : "token"),
      ],
      // The correct id with a different secret and the correct checksum.
      [`<<${name}:forged>>`, formatTokenValue({ ...generateTokenValue(), token_id }, kind)],
      [`<<${name}:mistyped>>`, text.slice(0, -10) + (text.at(-10) === "a" ? "b" : "a") + text.slice(-9)],
    ]),
  ]);
  const scan = async (store: string): Promise<Item[]> =>
    store in tables ? ((await operations.scan({ TableName: tableOf(store) })).Items ?? []) : [];
  const restoreTokens = () =>
    access.fill({
      tokens: [
        withShard(exampleTrust),
        ...stored.map(({ name, record }) => ({ ...record, ...(requests[name] && { request: requests[name]() }) })),
        ...ofOthers.map(({ record }) => record),
      ],
    });

  return {
    /** Replaces the placeholders in a string with real tokens. */
    fill: (text: string): string =>
      text.replace(/<<\w+(:\w+)?>>/g, (placeholder) => fillings.get(placeholder) ?? placeholder),
    jwt,
    /** Returns the name of the token or invitation with this value. */
    nameOf: (text: string | undefined) => valid.find((one) => one.text === text)?.name ?? "unknown",
    /** The strings that must not appear in the log or in a response: the secrets of the tokens and their hashes. */
    tokenSecrets: [
      jwt.slice(jwt.lastIndexOf(".")),
      ...issued.flatMap(({ text, record: { secret_hash, invitation_hash = secret_hash } }) => [
        secretIn(text),
        secret_hash,
        invitation_hash,
      ]),
    ],
    vCodes: [...vCodes.values()],
    restoreTokens,
    /**
     * Restores everything. The examples of some endpoints need an application's records in one state, and others need another state.
     */
    async restore(state: StateName): Promise<void> {
      await restoreTokens();
      const all = recordsIn(state, tables);
      const records = applicationTables.map(([store]) => [store, all[store] ?? []]);
      await access.fill(Object.fromEntries(records));
      const longAgo = { created_at: inMs(-dayMs), updated_at: inMs(-dayMs) };
      await access.fill({ keys: [...vCodes].map(([key_id, v_code]) => ({ key_id, v_code, ...longAgo })) });
    },
    async contents(): Promise<Contents> {
      const [found, keys] = [await scan("tokens"), await scan("keys")];
      const others = await Promise.all(applicationTables.map(([store]) => scan(store)));
      const unused = found.map(({ last_used_at: _, repeat_nonce: __, ...token }) => token);
      const [whole, lasting] = [JSON.stringify([found, keys, others]), JSON.stringify([unused, keys, others])];
      return { tokens: JSON.stringify(unused), keys, lasting, whole };
    },
  };
};

export type Fixtures = ReturnType<typeof createFixtures>;
