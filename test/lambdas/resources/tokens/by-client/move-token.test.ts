import { describe, expect, test } from "vitest";
import { moveToken } from "../../../../../lambdas/resources/tokens/by-client/client-succession.ts";
import type { TokenRecord } from "../../../../../lambdas/resources/tokens/token-store.ts";
import { absentId, decided, hourMs, inMs, newToken, requestField } from "../../../../../tools/support/tokens.ts";
import { holderOf, refusal, useTokenStore, wrongAddress } from "../../../support/token-store.ts";

const { store, stored, find, lastChange } = useTokenStore();
const [home, away, elsewhere] = ["198.51.100.7", "203.0.113.50", "192.0.2.1"];

const issue = (fields: Partial<TokenRecord> = {}) => stored(newToken({ ip: home, ...fields }).record);
const issueConfirmed = () => issue({ request: requestField({ ip: away, ...decided("confirmed") }) });
const move = (token: TokenRecord, ip = away) => moveToken(holderOf(token, ip), store());

const leak = { facts: wrongAddress };

describe("a client that moves its token", () => {
  test("has to wait for an admin's confirmation", async () => {
    const { token_id } = await issue();
    const asked = await move(await find(token_id));
    expect(asked).toMatchObject({ outcome: "requested", request: { ip: away }, isNew: true });

    expect(await move(await find(token_id))).toEqual({ ...asked, isNew: false });
    expect((await lastChange(token_id)).author.from).toBe(away);
  });

  test("gets a successor for the confirmed address, and the old token ends at once", async () => {
    const old = await issueConfirmed();
    const outcome = await move(old);

    const { successor_id = "", rotated_at, expires_at } = await find(old.token_id);
    expect(outcome).toMatchObject({ outcome: "issued", token: { token_id: successor_id, ip: away } });
    expect(expires_at).toBe(rotated_at);
    expect((await lastChange(old.token_id)).kind).toBe("moved");
  });

  test("gets the same successor again if the response was lost", async () => {
    const old = await issueConfirmed();
    const { text } = (await move(old)) as { text: string };
    expect(await move(await find(old.token_id))).toMatchObject({ outcome: "issued", text });
  });
});

describe("a client that moves its token is refused", () => {
  test("with another code for a token that has expired, was replaced, was rotated or was revoked", async () => {
    const successor_id = absentId();
    const expired = await issue({ expires_at: inMs(-1) });
    const replaced = await issue({ expires_at: inMs(-1), successor_id });
    const rotated = await issue({ expires_at: inMs(hourMs), successor_id });
    const revoked = await issue({ revoked_at: inMs(-1), revoked_by: "admin" });

    expect(await move(expired)).toEqual(refusal("token_expired", expired, leak));
    expect(await move(replaced)).toEqual(refusal("token_expired", replaced, leak));
    expect(await move(rotated)).toEqual(
      refusal("token_already_rotated", rotated, { values: { successor_id }, ...leak }),
    );
    expect(await move(revoked)).toEqual(refusal("token_revoked", revoked, leak));
  });

  test("from the token's own address", async () => {
    const token = await issue();
    expect(await move(token, home)).toEqual(refusal("move_not_needed", token, { values: { ip: home } }));
  });

  test("from any other address than the one that an admin has confirmed", async () => {
    const token = await issueConfirmed();
    expect(await move(token, elsewhere)).toEqual(
      refusal("ip_not_allowed", token, { values: { ip: elsewhere }, ...leak }),
    );
  });
});
