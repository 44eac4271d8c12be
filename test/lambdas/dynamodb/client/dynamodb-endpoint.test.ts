import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { dynamodbEndpoint } from "../../../../lambdas/dynamodb/client/dynamodb-endpoint.ts";

/** The SDK's own table of regions, which it does not export. */
const table = new URL(
  "../../../../node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js",
  import.meta.url,
);
const { partitionsInfo }: { partitionsInfo: { partitions: { id: string; regions: Record<string, object> }[] } } =
  await import(table.href);
const partitions = partitionsInfo.partitions.map(({ id, regions }) => {
  const names = Object.keys(regions).filter((name) => !name.endsWith("-global"));
  // A region that AWS may open in the future follows its partition's rules.
  return { id, regions: [...names, String(names[0]).replace(/\d+$/, "99")] };
});

const accountId = "123456789012";
const { endpointProvider } = new DynamoDBClient({ region: "us-east-1" }).config;

beforeEach(() => {
  vi.stubEnv("AWS_ACCOUNT_ID", accountId);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

test.for(partitions)("DynamoDB's address is the SDK's default in every region of $id", ({ regions }) => {
  for (const Region of regions) {
    for (const AccountId of [undefined, accountId]) {
      vi.stubEnv("AWS_ACCOUNT_ID", AccountId);
      const options = { Region, AccountIdEndpointMode: "preferred", ...(AccountId && { AccountId }) };
      expect(dynamodbEndpoint(Region), `${Region} ${AccountId}`).toEqual(endpointProvider(options).url);
    }
  }
});

test("the SDK's endpoint table has all partitions and more than 40 regions", () => {
  expect(partitions.map(({ id }) => id)).toEqual(expect.arrayContaining(["aws", "aws-cn", "aws-us-gov", "aws-iso"]));
  expect(partitions.flatMap(({ regions }) => regions).length).toBeGreaterThan(40);
});

const region = "https://dynamodb.eu-central-1.amazonaws.com/";
const named = "https://dynamodb.example:8000/";
test.for<[string, Record<string, string>]>([
  [`https://${accountId}.ddb.eu-central-1.amazonaws.com/`, {}],
  [region, { AWS_ACCOUNT_ID: "" }],
  [region, { AWS_ACCOUNT_ID_ENDPOINT_MODE: "disabled" }],
  [named, { AWS_ENDPOINT_URL_DYNAMODB: named, AWS_ENDPOINT_URL: "https://other.example" }],
  [named, { AWS_ENDPOINT_URL: named, AWS_ENDPOINT_URL_SQS: "https://other.example" }],
])("the address of DynamoDB is %s with %j", ([address, environment]) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  expect(dynamodbEndpoint("eu-central-1").href).toBe(address);
});

test.for([
  ...["12345", "1234567890123", "evil.example/#", "12345678901x"].map((id) => ["AWS_ACCOUNT_ID", id, "12 digits"]),
  ["AWS_USE_FIPS_ENDPOINT", "true", "Set AWS_ENDPOINT_URL_DYNAMODB"],
  ["AWS_USE_DUALSTACK_ENDPOINT", "true", "Set AWS_ENDPOINT_URL_DYNAMODB"],
])("rejects an address that would need guessing: %s is %s", ([name = "", value, problem]) => {
  vi.stubEnv(name, value);
  expect(() => dynamodbEndpoint("eu-central-1")).toThrow(problem);
});
