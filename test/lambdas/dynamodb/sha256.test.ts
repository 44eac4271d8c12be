import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { Sha256 } from "../../../lambdas/dynamodb/sha256.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

test.each([
  ["text", "Grüße"],
  ["bytes", Buffer.from("Grüße")],
  ["part of a buffer", new Uint8Array(Buffer.from("..Grüße..")).subarray(2, -2)],
  ["an empty text", ""],
])("the hash of %s is its SHA-256", async (_, data) => {
  const sha256 = new Sha256();
  sha256.update(data);
  expect(hex(await sha256.digest())).toBe(createHash("sha256").update(data).digest("hex"));
});

test("several updates are hashed as one text", async () => {
  const sha256 = new Sha256();
  for (const part of ["a", "b", "c"]) sha256.update(part);
  expect(hex(await sha256.digest())).toBe(createHash("sha256").update("abc").digest("hex"));
});

test.each<[string, string | Uint8Array<ArrayBuffer>]>([
  ["a text", "secret"],
  ["bytes", new Uint8Array([1, 2, 3])],
])("a signature with %s as its key is an HMAC, also when the key is used again", async (_, secret) => {
  for (const message of ["first", "second", "second", "first"]) {
    const sha256 = new Sha256(secret);
    sha256.update(message);
    expect(hex(await sha256.digest())).toBe(createHmac("sha256", secret).update(message).digest("hex"));
  }
});

test("keys of the same length are not mistaken for each other", async () => {
  const sign = async (secret: string) => {
    const sha256 = new Sha256(secret);
    sha256.update("message");
    return hex(await sha256.digest());
  };
  expect(await sign("one")).not.toBe(await sign("two"));
});
