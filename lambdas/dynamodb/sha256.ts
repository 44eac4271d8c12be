import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";

type Data = string | ArrayBuffer | ArrayBufferView;

/**
 * SHA-256 for the SDK's signer; with a secret, HMAC-SHA-256. The SDK's own class makes Node.js import the same keys for each
 * signature, which takes longer than signing.
 */
export class Sha256 {
  #key: KeyObject | undefined;
  #data: Buffer = Buffer.alloc(0);

  constructor(secret?: Data) {
    this.#key = secret === undefined ? undefined : keyOf(secret);
  }

  update(data: Data): void {
    const bytes = bytesOf(data);
    this.#data = this.#data.length === 0 ? bytes : Buffer.concat([this.#data, bytes]);
  }

  async digest(): Promise<Uint8Array> {
    return this.#key
      ? createHmac("sha256", this.#key).update(this.#data).digest()
      : hash("sha256", this.#data, "buffer");
  }
}

// The signer uses the same secrets for as long as the process lives: the secret access key, and the signing key of the day.
const keysOfTexts = new Map<string, KeyObject>();
const keysOfBytes = new WeakMap<object, KeyObject>();

const keyOf = (secret: Data): KeyObject => {
  const known = typeof secret === "string" ? keysOfTexts.get(secret) : keysOfBytes.get(secret);
  if (known) return known;
  const key = createSecretKey(bytesOf(secret));
  if (typeof secret === "string") keysOfTexts.set(secret, key);
  else keysOfBytes.set(secret, key);
  return key;
};

const bytesOf = (data: Data): Buffer => {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
};
