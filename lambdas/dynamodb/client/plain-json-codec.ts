import { InvalidResponse } from "./invalid-responses.ts";

/**
 * Encodes and decodes DynamoDB JSON without the SDK's schemas. The objects that the SDK takes and returns are the JSON itself,
 * except for binary values, which this service does not use.
 *
 * The SDK's own codec walks every attribute of every item along a schema, which takes about a tenth of a call's CPU time.
 */
export class PlainJsonCodec {
  setSerdeContext(): void {}

  createSerializer() {
    let text = "";
    return {
      setSerdeContext() {},
      write(_schema: unknown, input: unknown) {
        text = JSON.stringify(input, refuseBytes);
      },
      flush: (): string => text,
    };
  }

  createDeserializer() {
    return {
      setSerdeContext() {},
      read: async (_schema: unknown, { buffer, byteOffset, byteLength }: Uint8Array): Promise<unknown> =>
        parse(Buffer.from(buffer, byteOffset, byteLength).toString("utf8")),
      readObject: (_schema: unknown, value: unknown): unknown => value,
    };
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // The SDK would not retry after a SyntaxError, and the message of a SyntaxError quotes the response.
    throw new InvalidResponse("is not JSON");
  }
};

const refuseBytes = (name: string, value: unknown): unknown => {
  if (ArrayBuffer.isView(value)) {
    throw new TypeError(`The attribute value ${name} is binary, which plain-json-codec.ts does not write.`);
  }
  return value;
};
