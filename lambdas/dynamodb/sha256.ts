import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";

type Data = string | ArrayBuffer | ArrayBufferView;

/**
 * SHA-256 for the SDK's signer; with a secret, HMAC-SHA-256.
 *
 * Importing a key of bytes takes Node.js ten times as long as signing with it, and the signer signs every request of a day with the
 * same one. The SDK's own class imports it each time; this one keeps it.
 */
export class Sha256 {
  #key: KeyObject | string | undefined;
  #data: Buffer = Buffer.alloc(0);

  constructor(secret?: Data) {
    this.#key = typeof secret === "object" ? imported(secret) : secret;
  }

  update(data: Data): void {
    const bytes = bytesOf(data);
    this.#data = this.#data.length === 0 ? bytes : Buffer.concat([this.#data, bytes]);
  }

  async digest(): Promise<Uint8Array> {
    if (this.#key === undefined) return hash("sha256", this.#data, "buffer");
    return createHmac("sha256", this.#key).update(this.#data).digest();
  }
}

const importedKeys = new WeakMap<object, KeyObject>();

const imported = (secret: ArrayBuffer | ArrayBufferView): KeyObject => {
  const key = importedKeys.get(secret) ?? createSecretKey(bytesOf(secret));
  importedKeys.set(secret, key);
  return key;
};

const bytesOf = (data: Data): Buffer => {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
};
