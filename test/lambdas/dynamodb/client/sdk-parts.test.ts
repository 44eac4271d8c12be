import { createHash, createHmac } from "node:crypto";
import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, test, vi } from "vitest";
import { useFastConfiguration } from "../../../../lambdas/dynamodb/client/client.ts";
import { PlainJsonCodec } from "../../../../lambdas/dynamodb/client/plain-json-codec.ts";
import { Sha256 } from "../../../../lambdas/dynamodb/client/sha256.ts";

setFlagsFromString("--allow-natives-syntax");
/** Returns whether V8 stores an object as a hash table, which is slow to copy. */
const isHashTable: (object: object) => boolean = runInNewContext("(object) => !%HasFastProperties(object)");

const newClient = () =>
  new DynamoDBClient({ region: "eu-central-1", credentials: { accessKeyId: "key", secretAccessKey: "secret" } });

test("the replacement configuration copies quickly, unlike the SDK's, and has the same values and middleware", () => {
  const [client, untouched] = [newClient(), newClient()];
  const before = client.config;
  expect(isHashTable(before)).toBe(true);
  useFastConfiguration(client);
  expect(isHashTable(client.config)).toBe(false);
  expect(client.config).toEqual(before);
  expect(client.middlewareStack.identify().toSorted()).toEqual(untouched.middlewareStack.identify().toSorted());
});

test("one signer signs all requests with the current credentials and for the table's region", async () => {
  let keys = { accessKeyId: "first", secretAccessKey: "secret", expiration: new Date(0) };
  const credentials = async () => keys;
  const headers: Record<string, string>[] = [];
  const requestHandler = {
    async handle(request: { headers: Record<string, string> }) {
      headers.push(request.headers);
      return { response: { statusCode: 200, headers: {}, body: Readable.from(["{}"]) } };
    },
  };
  const client = new DynamoDBClient({ region: "eu-central-1", credentials, requestHandler } as object);
  const makeSigner = vi.spyOn(client.config, "signer");
  useFastConfiguration(client);
  for (const accessKeyId of ["first", "second", "second"]) {
    keys = { ...keys, accessKeyId };
    await client.send(new GetItemCommand({ TableName: "t", Key: { id: { S: "1" } } }));
  }
  expect(makeSigner).toHaveBeenCalledTimes(1);
  expect(
    headers.map(({ authorization = "" }) => /Credential=(\w+)\/\d+\/([\w-]+)\/(\w+)/.exec(authorization)?.slice(1)),
  ).toEqual([
    ["first", "eu-central-1", "dynamodb"],
    ["second", "eu-central-1", "dynamodb"],
    ["second", "eu-central-1", "dynamodb"],
  ]);
});

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

test("rejects a binary attribute value and names it, because its JSON would be wrong", () => {
  const serializer = codec.createSerializer();

  expect(() => serializer.write(undefined, { Item: { photo: { B: new Uint8Array([1]) } } })).toThrow(
    new TypeError("The attribute value B is binary, which plain-json-codec.ts does not write."),
  );
});

const digestOf = async (parts: (string | Uint8Array<ArrayBuffer>)[], secret?: string | Uint8Array<ArrayBuffer>) => {
  const sha256 = new Sha256(secret);
  for (const part of parts) sha256.update(part);
  return Buffer.from(await sha256.digest()).toString("hex");
};
const part = new Uint8Array(Buffer.from("..Grüße..")).subarray(2, -2);

test.for([[["Grüße"]], [["Gr", "üße"]], [[part]], [[""]]])("the hash of %j is its SHA-256", async ([parts = []]) => {
  expect(await digestOf(parts)).toBe(
    createHash("sha256")
      .update(Buffer.concat(parts.map((one) => Buffer.from(one))))
      .digest("hex"),
  );
});

test("a signature is an HMAC, even when a key or a key length is reused", async () => {
  for (const secret of ["one", "two", new Uint8Array([1, 2, 3])]) {
    for (const message of ["first", "second", "second"]) {
      const expected = createHmac("sha256", secret).update(message).digest("hex");
      expect(await digestOf([message], secret)).toBe(expected);
    }
  }
});
