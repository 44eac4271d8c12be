import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";

type Data = string | ArrayBuffer | ArrayBufferView;

/**
 * Computes SHA-256 for the SDK's signer, or HMAC-SHA-256 if there is a secret.
 *
 * In Node.js, importing a key takes ten times as long as signing with it, and the signer uses the same key for all requests of a
 * day. The SDK's own class imports the key each time; this class keeps it.
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
