import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";

type Data = string | ArrayBuffer | ArrayBufferView;

/** A key, and the last message that was signed with it. */
interface SigningKey {
  key: KeyObject;
  signed?: { message: Buffer; signature: Uint8Array };
}

/**
 * SHA-256 for the SDK's signer; with a secret, HMAC-SHA-256.
 *
 * The SDK's own class makes Node.js import the same keys for each request, which takes longer than signing. This one keeps them.
 * It also keeps the last signature of each key: to look up its signing key of the day, the signer signs the same message with
 * the secret access key for each request.
 */
export class Sha256 {
  #key: SigningKey | undefined;
  #data: Buffer = Buffer.alloc(0);

  constructor(secret?: Data) {
    this.#key = secret === undefined ? undefined : keyOf(secret);
  }

  update(data: Data): void {
    const bytes = bytesOf(data);
    this.#data = this.#data.length === 0 ? bytes : Buffer.concat([this.#data, bytes]);
  }

  async digest(): Promise<Uint8Array> {
    return this.#key ? sign(this.#data, this.#key) : hash("sha256", this.#data, "buffer");
  }
}

const sign = (message: Buffer, signingKey: SigningKey): Uint8Array => {
  if (!signingKey.signed?.message.equals(message)) {
    const signature = createHmac("sha256", signingKey.key).update(message).digest();
    signingKey.signed = { message, signature };
  }
  return signingKey.signed.signature;
};

// The signer uses the same secrets for as long as the process lives: the secret access key, and the signing key of the day.
const keysOfTexts = new Map<string, SigningKey>();
const keysOfBytes = new WeakMap<object, SigningKey>();

const keyOf = (secret: Data): SigningKey => {
  const known = typeof secret === "string" ? keysOfTexts.get(secret) : keysOfBytes.get(secret);
  if (known) return known;
  const key = { key: createSecretKey(bytesOf(secret)) };
  if (typeof secret === "string") keysOfTexts.set(secret, key);
  else keysOfBytes.set(secret, key);
  return key;
};

const bytesOf = (data: Data): Buffer => {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
};
