/**
 * DynamoDB's JSON, both ways, without the SDK's schemas: the objects that the SDK takes and gives are the JSON of the wire,
 * but for binary values, which this service has none of.
 *
 * It takes the place of the SDK's own codec in a bundle (see infra/build/bundle.ts), which walks every attribute of every item
 * along a schema: half of what a page of keys costs.
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
        JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString("utf8")),
      readObject: (_schema: unknown, value: unknown): unknown => value,
    };
  }
}

const refuseBytes = (name: string, value: unknown): unknown => {
  if (ArrayBuffer.isView(value)) {
    throw new TypeError(
      `The attribute value ${name} is binary, which a bundle's codec does not write: see infra/build/bundle.ts.`,
    );
  }
  return value;
};
