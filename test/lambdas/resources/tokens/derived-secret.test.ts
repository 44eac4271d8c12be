import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { deriveSecret, isNonce, newNonce, secretText } from "../../../../lambdas/resources/tokens/token-text.ts";

test("a derived secret is an HMAC of the token's id and the nonce, keyed by what was sent", () => {
  const mac = createHmac("sha256", "sent").update("01ARZ3NDEKTSV4RRFFQ69G5FAV nonce").digest();

  expect(deriveSecret("sent", { token_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", nonce: "nonce" })).toEqual({
    token_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    secret: secretText(mac),
  });
});

test("each nonce is 16 other bytes in base64url, and is recognised by its form", () => {
  const nonces = Array.from({ length: 100 }, newNonce);

  expect(new Set(nonces).size).toBe(nonces.length);
  for (const nonce of nonces) {
    expect(Buffer.from(nonce, "base64url")).toHaveLength(16);
    expect([nonce, `${nonce}A`, `A${nonce}`, nonce.slice(1)].map(isNonce)).toEqual([true, false, false, false]);
  }
});
