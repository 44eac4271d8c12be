import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { DeployedTables } from "../../../lambdas/options-guard/compare-tables.ts";
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
  /** The tables of the deployed stack and of the next one. */
  tables?: [DeployedTables, DeployedTables];
  /** The indexes that the deployed functions use, as an output of their stack; `null` if there is no such stack. */
  used?: string[] | null;
  status?: string;
  requestType?: GuardRequest["RequestType"];
}

/** Returns the response to CloudFormation for a deployment with these options over a stack with others. */
const deploy = async (
  deployed: Values,
  next: Values,
  { allowed = [], status, requestType = "Update", tables, used = [] }: Deployment = {},
) => {
  const outputs = `<member><OutputKey>Other</OutputKey><OutputValue>shipments.byOther</OutputValue></member>
    <member><OutputKey>IndexesInUse</OutputKey><OutputValue>${used}</OutputValue></member>`;
  const stub = await startAwsStub(({ method, body }) => {
    if (method === "PUT") return { body: "" };
    if (!body.includes("Api-stack")) return { body: `<StackStatus>${status ?? "UPDATE_IN_PROGRESS"}</StackStatus>` };
    return used === null
      ? { status: 400, body: "<Message>Stack with id Api-stack does not exist</Message>" }
      : { body: `<StackStatus>UPDATE_COMPLETE</StackStatus><Outputs>${outputs}</Outputs>` };
  });
  onTestFinished(stub.close);
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", stub.url);
  // Like a template, which omits empty values.
  const properties = (options: Values, Tables?: DeployedTables) => ({
    ...(Object.keys(options).length > 0 && { Options: options }),
    ...(Tables && { Tables, ApiStack: "Api-stack" }),
    ...(allowed.length > 0 && { Allowed: allowed }),
    File: "options.prod.json",
  });
  await handler({
    RequestType: requestType,
    ResponseURL: `${stub.url}/answer`,
    StackId: "arn:aws:cloudformation:us-east-1:123456789012:stack/IntegrationApi-prod/1",
    RequestId: "request-1",
    LogicalResourceId: "OptionsGuard",
    ResourceProperties: properties(next, tables?.[1]),
    ...(requestType === "Update" && { OldResourceProperties: properties(deployed, tables?.[0]) }),
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

const key = { "table key": "shipment_id:S" };
const byStatus = { byStatus: "status:S created_at:S ALL" };
const byOther = { byOther: "other:S created_at:S ALL" };
const byChange = { by_change: "change_shard:S updated_at:S ALL" };
const shipments = (...parts: object[]): DeployedTables => ({ shipments: Object.assign({}, key, ...parts) });

test.each<[string, DeployedTables, DeployedTables, string[], string]>([
  [
    "removes an index that deployed functions use",
    shipments(byStatus),
    shipments(),
    ["tokens.by_issuer", "shipments.byStatus"],
    "Deployed functions still use the index shipments.byStatus. Declare it with retired: true, deploy, and remove its lines in a later deployment.",
  ],
  [
    "removes changes that deployed functions follow",
    shipments(byChange),
    shipments(),
    ["shipments.by_change"],
    "Deployed functions still follow the changes of shipments. Declare `changes` with retired: true, deploy, and remove them in a later deployment.",
  ],
  [
    "divides changes by another field",
    shipments(byChange),
    shipments({ by_change: "customer_id:S updated_at:S ALL" }),
    [],
    "The changes of shipments are deployed with another partition, and DynamoDB cannot change their index. Declare the deployed ones with retired: true, deploy, remove them, deploy, and then declare the new ones.",
  ],
  [
    "adds two indexes to a table",
    shipments(),
    shipments(byStatus, byOther),
    [],
    "DynamoDB adds or removes one index of a table at a time, but this would add or remove 2 of shipments (byStatus, byOther). Deploy them one after another.",
  ],
  [
    "replaces an index",
    shipments(byStatus),
    shipments(byOther),
    [],
    "this would add or remove 2 of shipments (byStatus, byOther)",
  ],
  [
    "changes an index",
    shipments(byStatus),
    shipments({ byStatus: "status:S updated_at:S ALL" }),
    [],
    "The index shipments.byStatus is deployed with another key or other attributes, and DynamoDB cannot change an index. Declare the new one under another name, and mark this one as retired.",
  ],
  [
    "changes the key of a table",
    shipments(),
    { shipments: { "table key": "id:S" } },
    [],
    "The key of the table shipments cannot change. Declare a new table under another name.",
  ],
])("rejects a deployment that %s", async (_, deployed, next, used, sentence) => {
  const rejected = await deploy({}, {}, { tables: [deployed, next], used });
  expect(rejected).toMatchObject({ Status: "FAILED", Reason: expect.stringContaining(sentence) });
  const rollback = { tables: [deployed, next], used, status: "UPDATE_ROLLBACK_IN_PROGRESS" } satisfies Deployment;
  expect(await deploy({}, {}, rollback)).toMatchObject({ Status: "SUCCESS" });
});

test.each<[string, DeployedTables, DeployedTables, string[] | null]>([
  ["adds an index", shipments(byOther), shipments(byOther, byStatus), ["shipments.byOther"]],
  ["removes an index that no deployed function uses", shipments(byStatus), shipments(), ["shipments.byOther"]],
  ["removes an index while there are no functions", shipments(byStatus), shipments(), null],
  ["adds a table with two indexes", {}, shipments(byStatus, byOther), []],
  ["adds indexes to two tables", { a: key, b: key }, { a: { ...key, ...byOther }, b: { ...key, ...byStatus } }, []],
])("accepts a deployment that %s", async (_, deployed, next, used) => {
  expect(await deploy({}, {}, { tables: [deployed, next], used })).toMatchObject({ Status: "SUCCESS" });
});
