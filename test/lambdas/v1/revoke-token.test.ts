import { describe, expect, test } from "vitest";
import { absentId, inMs } from "../../../tools/support/tokens.ts";
import { away, home, minuteMs, useClients } from "../support/clients.ts";

const clients = useClients();
const { issue, revoke, rotate, use, get, pass } = clients;

describe("somebody who has a token", () => {
  test("can end it from its own address", async () => {
    const { token_id, text } = await issue();
    const { status, line } = await revoke(text);
    expect(status).toBe(204);
    expect(line).not.toHaveProperty("leak_signal");
    expect(await use(text)).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    expect(await get(token_id)).toMatchObject({ state: "revoked", revoked_by: `token:${token_id}:${home}` });
  });

  test("can end it from any other address, which is a sign of a leak and reveals nothing", async () => {
    const { token_id, text } = await issue();
    const { status, body, line } = await revoke(text, away);
    expect({ status, body }).toEqual({ status: 204, body: {} });
    expect(line).toMatchObject({ level: "WARN", token_id, leak_signal: expect.any(String) });
    expect(await get(token_id)).toMatchObject({ state: "revoked", revoked_by: `token:${token_id}:${away}` });
  });

  test("can repeat that, and end a token that has ended, without changing it", async () => {
    const [revoked, expired] = [await issue(), await issue({ expires_at: inMs(minuteMs) })];
    await revoke(revoked.text);
    const before = await get(revoked.token_id);
    pass(minuteMs);
    expect((await revoke(revoked.text)).status).toBe(204);
    expect((await revoke(expired.text)).status).toBe(204);
    expect(await get(revoked.token_id)).toEqual(before);
    expect(await get(expired.token_id)).toMatchObject({ state: "expired", revoked_at: null });
  });

  test("ends the repetition of its rotation with it, even if the rotation has ended it before", async () => {
    const { text } = await issue();
    const successor = (await rotate(text)).token;
    expect((await rotate(text)).token).toBe(successor);
    expect((await revoke(text, away)).status).toBe(204);
    expect(await rotate(text)).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    expect((await use(successor)).status).toBe(200);
  });

  test("cannot end another token with it, nor one whose secret is wrong", async () => {
    const [own, other] = [await issue(), await issue()];
    const mixed = own.text.replace(own.token_id, other.token_id);
    expect((await revoke(mixed)).status).toBe(401);
    expect((await revoke(own.text.replace(own.token_id, absentId()))).status).toBe(401);
    expect((await use(other.text)).status).toBe(200);
  });
});
