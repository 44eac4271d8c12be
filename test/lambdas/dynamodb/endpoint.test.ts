import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { dynamodbEndpoint } from "../../../lambdas/dynamodb/endpoint.ts";

interface Partition {
  id: string;
  regions: Record<string, object>;
}

/** The SDK's own table of regions, which it does not export. */
const table = new URL(
  "../../../node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js",
  import.meta.url,
);
const { partitionsInfo }: { partitionsInfo: { partitions: Partition[] } } = await import(table.href);
const { partitions } = partitionsInfo;

const accountId = "123456789012";
const { endpointProvider } = new DynamoDBClient({ region: "us-east-1" }).config;
/** The address by the SDK's own rules. */
const sdkEndpoint = (Region: string, AccountId?: string): URL =>
  endpointProvider({ Region, AccountIdEndpointMode: "preferred", ...(AccountId && { AccountId }) }).url;

beforeEach(() => {
  vi.stubEnv("AWS_ACCOUNT_ID", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the address of DynamoDB", () => {
  test.for(partitions)("is the SDK's own in every region of $id, with and without an account id", ({ id, regions }) => {
    // A region that AWS may open tomorrow follows the rules of its partition.
    const names = [...Object.keys(regions).filter((name) => !name.endsWith("-global")), newRegion(regions)];
    for (const region of names) {
      expect(dynamodbEndpoint(region), `${id} ${region}`).toEqual(sdkEndpoint(region));
      vi.stubEnv("AWS_ACCOUNT_ID", accountId);
      expect(dynamodbEndpoint(region), `${id} ${region} with account id`).toEqual(sdkEndpoint(region, accountId));
      vi.stubEnv("AWS_ACCOUNT_ID", undefined);
    }
  });

  test("is compared in all partitions and in more than 40 regions", () => {
    expect(partitions.map(({ id }) => id)).toEqual(expect.arrayContaining(["aws", "aws-cn", "aws-us-gov", "aws-iso"]));
    expect(partitions.flatMap(({ regions }) => Object.keys(regions)).length).toBeGreaterThan(40);
  });

  test("is the account's own where the account is known and the region has such addresses", () => {
    vi.stubEnv("AWS_ACCOUNT_ID", accountId);
    expect(dynamodbEndpoint("eu-central-1").href).toBe("https://123456789012.ddb.eu-central-1.amazonaws.com/");
    expect(dynamodbEndpoint("cn-north-1").href).toBe("https://123456789012.ddb.cn-north-1.amazonaws.com.cn/");
    expect(dynamodbEndpoint("us-iso-east-1").href).toBe("https://dynamodb.us-iso-east-1.c2s.ic.gov/");
  });

  test.for([
    ["the account id is empty", "", "preferred"],
    ["account addresses are turned off", accountId, "disabled"],
  ] as const)("is the region's where %s", ([, id, mode]) => {
    vi.stubEnv("AWS_ACCOUNT_ID", id);
    vi.stubEnv("AWS_ACCOUNT_ID_ENDPOINT_MODE", mode);
    expect(dynamodbEndpoint("eu-central-1").href).toBe("https://dynamodb.eu-central-1.amazonaws.com/");
  });

  test.for(["12345", "1234567890123", "evil.example/#", "12345678901x"])(
    "is never made from %s, which is no account id",
    (id) => {
      vi.stubEnv("AWS_ACCOUNT_ID", id);
      expect(() => dynamodbEndpoint("eu-central-1")).toThrow("AWS_ACCOUNT_ID is not the id of an AWS account");
    },
  );

  test.for([
    ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"],
    ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SQS"],
  ] as const)("is the one in %s, which takes precedence over %s and the account's own", ([name, other]) => {
    vi.stubEnv("AWS_ACCOUNT_ID", accountId);
    vi.stubEnv(other, "https://other.example");
    vi.stubEnv(name, "https://dynamodb.example:8000");
    expect(dynamodbEndpoint("eu-central-1").href).toBe("https://dynamodb.example:8000/");
  });

  test.for(["AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT"])(
    "is refused instead of guessed if %s asks for another",
    (name) => {
      vi.stubEnv("AWS_ACCOUNT_ID", accountId);
      vi.stubEnv(name, "true");
      expect(() => dynamodbEndpoint("eu-central-1")).toThrow("AWS_ENDPOINT_URL_DYNAMODB");
    },
  );
});

/** A region of the same partition that does not exist yet. */
const newRegion = (regions: Record<string, object>): string =>
  Object.keys(regions)
    .filter((name) => !name.endsWith("-global"))[0]
    ?.replace(/\d+$/, "99") ?? "";
