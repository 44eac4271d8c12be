import { expect, test } from "vitest";
import { PlainJsonCodec } from "../../../lambdas/dynamodb/plain-json-codec.ts";

const codec = new PlainJsonCodec();
const item = { key_id: { S: "a/b ü\u2028" }, count: { N: "1" }, names: { SS: ["x"] } };

test("attribute values are written and read as plain JSON", async () => {
  const serializer = codec.createSerializer();
  serializer.write(undefined, { Item: item });
  // A view of a larger buffer, like buffers from the network.
  const received = Buffer.from(`before${serializer.flush()}after`).subarray("before".length, -"after".length);

  expect(JSON.parse(serializer.flush())).toEqual({ Item: item });
  expect(await codec.createDeserializer().read(undefined, received)).toEqual({ Item: item });
});

test("a binary attribute value is refused by name, because its JSON would be wrong", () => {
  const serializer = codec.createSerializer();

  expect(() => serializer.write(undefined, { Item: { photo: { B: new Uint8Array([1]) } } })).toThrow(
    new TypeError("The attribute value B is binary, which plain-json-codec.ts does not write."),
  );
});
