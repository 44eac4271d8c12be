import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type GuardRequest, handler } from "../../../lambdas/options-guard/handler.ts";
import { startAwsStub } from "../../support/aws-stub.ts";
import { stubCredentials } from "../support/dynamodb-stub.ts";
import { captureLog } from "../support/outcomes.ts";

beforeEach(() => {
  stubCredentials();
  captureLog();
});

type Values = Record<string, string>;

interface Deployment {
  allowed?: string[];
  status?: string;
  requestType?: GuardRequest["RequestType"];
}

/** Returns the response to CloudFormation for a deployment with these options over a stack with others. */
const deploy = async (
  deployed: Values,
  next: Values,
  { allowed = [], status, requestType = "Update" }: Deployment = {},
) => {
  const stub = await startAwsStub(({ method }) => ({
    body: method === "PUT" ? "" : `<StackStatus>${status ?? "UPDATE_IN_PROGRESS"}</StackStatus>`,
  }));
  onTestFinished(stub.close);
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", stub.url);
  // Like a template, which omits empty values.
  const properties = (options: Values) => ({
    ...(Object.keys(options).length > 0 && { Options: options }),
    ...(allowed.length > 0 && { Allowed: allowed }),
    File: "options.prod.json",
  });
  await handler({
    RequestType: requestType,
    ResponseURL: `${stub.url}/answer`,
    StackId: "arn:aws:cloudformation:us-east-1:123456789012:stack/IntegrationApi-prod/1",
    RequestId: "request-1",
    LogicalResourceId: "OptionsGuard",
    ResourceProperties: properties(next),
    ...(requestType === "Update" && { OldResourceProperties: properties(deployed) }),
  });
  const responses = stub.requests.filter(({ method }) => method === "PUT").map(({ body }) => JSON.parse(body));
  expect(responses).toEqual([expect.objectContaining({ PhysicalResourceId: "options-guard", RequestId: "request-1" })]);
  return responses[0];
};

const domain = { domainName: "api.example.com" };

test.each<[string, Values, Values, string[]]>([
  ["drops an option", domain, {}, []],
  ["changes an option", domain, { domainName: "other.example.com" }, []],
  ["drops one of two", { ...domain, keysTable: "restored" }, domain, []],
  ["may drop another one", { ...domain, keysTable: "restored" }, {}, ["keysTable"]],
])("rejects a deployment that %s", async (_, deployed, next, allowed) => {
  expect(await deploy(deployed, next, { allowed })).toMatchObject({
    Status: "FAILED",
    Reason: expect.stringContaining("Complete options.prod.json, or allow it with -c allowChange="),
  });
});

test("rejects a deployment that drops several options, and names the forbidden ones in a sentence", async () => {
  const deployed = { ...domain, alarmEmail: "ops@example.com", keysTable: "restored" };

  expect((await deploy(deployed, {}, { allowed: ["keysTable"] })).Reason).toBe(
    "This would drop or change domainName (api.example.com), alarmEmail (ops@example.com) of the deployed stack. Complete options.prod.json, or allow it with -c allowChange=domainName,alarmEmail.",
  );
});

test.each<[string, Values, Values, Deployment]>([
  ["keeps its options", domain, domain, {}],
  ["adds an option", {}, domain, {}],
  ["may drop the option", domain, {}, { allowed: ["domainName"] }],
  ["is the first one", {}, {}, { requestType: "Create" }],
  ["removes the stack", domain, {}, { requestType: "Delete" }],
  ["is rolled back", domain, {}, { status: "UPDATE_ROLLBACK_IN_PROGRESS" }],
])("accepts a deployment that %s", async (_, deployed, next, deployment) => {
  expect(await deploy(deployed, next, deployment)).toMatchObject({ Status: "SUCCESS" });
});
