import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterEach, describe, expect, test, vi } from "vitest";
import { dynamodbEndpoint } from "../../../lambdas/dynamodb/endpoint.ts";

/** The SDK's own table of regions, which it does not export. */
const table = new URL(
  "../../../node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js",
  import.meta.url,
);
const { partitionsInfo }: { partitionsInfo: { partitions: { id: string; regions: Record<string, object> }[] } } =
  await import(table.href);
const regions = partitionsInfo.partitions.flatMap((partition) => Object.keys(partition.regions));

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the address of DynamoDB", () => {
  test("is that of the SDK in every region that the SDK knows", () => {
    const { endpointProvider } = new DynamoDBClient({ region: "us-east-1" }).config;
    const named = regions.filter((region) => !region.endsWith("-global"));
    expect(named.length).toBeGreaterThan(40);
    for (const region of named) {
      expect(dynamodbEndpoint(region)).toEqual(endpointProvider({ Region: region }).url);
    }
  });

  test.for([
    ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"],
    ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SQS"],
  ] as const)("is the one in %s, which takes precedence over %s", ([name, other]) => {
    vi.stubEnv(other, "https://other.example");
    vi.stubEnv(name, "https://dynamodb.example:8000");
    expect(dynamodbEndpoint("eu-central-1").href).toBe("https://dynamodb.example:8000/");
  });

  test.for(["AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT"])(
    "is refused instead of guessed if %s asks for another",
    (name) => {
      vi.stubEnv(name, "true");
      expect(() => dynamodbEndpoint("eu-central-1")).toThrow("AWS_ENDPOINT_URL_DYNAMODB");
    },
  );
});
