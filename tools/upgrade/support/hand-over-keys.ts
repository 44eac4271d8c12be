import type { Answered } from "../../support/traffic/calls.ts";
import { vCodeMark } from "../../support/traffic/key-client.ts";
import type { Held } from "../../support/traffic/token-pool.ts";
import type { HandOver } from "./hand-over.ts";
import type { Version } from "./versions.ts";

const [oneCode, otherCode] = ["x", "y"].map((letter) => vCodeMark.padEnd(64, letter)) as [string, string];

/** Characters that have to be encoded in a path, and some of more than one byte. */
const keyId = "handed over/ä🔑 #7";
const path = `/api/v1/key/${encodeURIComponent(keyId)}`;

const listedKeys = ["handed-over-1", "handed-over-2"];

const bodyOf = ({ status, text }: Answered): unknown => (status < 300 && text !== "" ? JSON.parse(text) : status);

/** A key as admins see it, without the fields that only one of the versions knows. */
const withoutCode = (answered: Answered): unknown => {
  const { v_code: _, ...shown } = Object(bodyOf(answered));
  return shown;
};

/** One version creates, replaces and deletes keys, and the other one continues with them. */
export const handOverKeys = async ({ writer, reader, call, admin, expect }: HandOver, own: Held): Promise<void> => {
  const send = (version: Version, method: string, target: string, form?: Record<string, string>) =>
    call(version, own, { method, path: target, ...(form && { form }) });
  const create = (version: Version, v_code: string) => send(version, "POST", "/api/v1/key", { key_id: keyId, v_code });

  /** A client follows the link to the next page although the other version serves it. */
  const handOverPages = async (first: Version, second: Version): Promise<void> => {
    for (const key_id of listedKeys) await send(first, "POST", "/api/v1/key", { key_id, v_code: oneCode });
    const page = await send(first, "GET", "/api/v1/key?limit=1");
    const next = /^<(.*)>; rel="next"$/.exec(page.headers.link ?? "")?.[1] ?? "";
    expect("the next page is there", (await send(second, "GET", next)).status, 200);
    for (const key_id of listedKeys) {
      expect("a listed key is deleted", (await send(second, "DELETE", `/api/v1/key/${key_id}`)).status, 204);
    }
  };

  // An earlier hand-over may have stopped half-way.
  for (const key_id of [keyId, ...listedKeys]) await admin(writer, "delete_key", { key_id });

  const created = await create(writer, oneCode);
  expect("the status of a new key", created.status, 201);
  expect("a created key is read", bodyOf(await send(reader, "GET", path)), bodyOf(created));
  expect("an admin reads a created key", await admin(reader, "get_key", { key_id: keyId }), withoutCode(created));
  expect("the same pair is unchanged", bodyOf(await create(reader, oneCode)), bodyOf(created));
  expect("another v_code is refused", (await create(reader, otherCode)).status, 422);

  const replaced = await send(reader, "PUT", path, { v_code: otherCode });
  expect("a key is replaced", replaced.status, 200);
  expect("a replaced key is read", bodyOf(await send(writer, "GET", path)), bodyOf(replaced));

  await handOverPages(writer, reader);

  expect("a key is deleted", (await send(reader, "DELETE", path)).status, 204);
  expect("a deleted key is gone", (await send(writer, "GET", path)).status, 404);
  expect("a deleted key can be created", (await create(writer, otherCode)).status, 201);
  expect("an admin deletes a key", await admin(reader, "delete_key", { key_id: keyId }), {});
  expect("a key that an admin deleted is gone", (await send(writer, "GET", path)).status, 404);
};
