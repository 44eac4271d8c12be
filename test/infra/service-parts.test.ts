import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { AttributeType, Table } from "aws-cdk-lib/aws-dynamodb";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { beforeAll, describe, expect, expectTypeOf, inject, test } from "vitest";
import * as z from "zod/mini";
import type { ConnectedFunction, ServiceApp } from "../../infra/service-parts.ts";
import { service } from "../../lambdas/declaration/service.ts";
import * as fields from "../../lambdas/shared/validation/fields.ts";
import { libraryApi } from "../fixtures/library/api.ts";
import { declared } from "../fixtures/library/books/declared.ts";
import { getBook } from "../fixtures/library/books/get-book.ts";
import { declareLost } from "../fixtures/library/loans/declare-lost.ts";
import { cyclesIn, readDeployment } from "../support/deployment-order.ts";
import { synthesiseStacks, validateStacks } from "../support/synthesise-stacks.ts";
import { type Resource, readTemplate, statementsOf, type Template } from "../support/template.ts";

type LibraryApp = ServiceApp<typeof libraryApi>;
type Extend = (app: LibraryApp) => void;

const newFolder = () => mkdtemp(join(inject("otherAssemblies"), "parts-"));

/** Synthesises the library with these additions, with the CDK's validation and cdk-nag. */
const synthesiseWith = async (extend: Extend): Promise<string> =>
  validateStacks({ stage: "prod" }, await newFolder(), libraryApi, (parts) => extend(parts as LibraryApp));

/** Connects resources in each stack with functions in the API's stack and in a nested one, in both directions. */
const addResources: Extend = ({ app, stacks, functions, jobs, tables }) => {
  const { addBook, getToken } = functions.v1;
  const queue = new Queue(stacks.data, "Orders");
  const covers = new Bucket(stacks.api, "Covers");
  for (const one of [addBook, getToken, jobs.declareLost]) {
    queue.grantSendMessages(one);
    covers.grantReadWrite(one);
    new Queue(new Stack(app, `Own${one.alias.node.scope?.node.id}`), "Queue").grantSendMessages(one);
    one.alias.addEventSource(new SqsEventSource(new Queue(stacks.api, `Returns${one.alias.node.scope?.node.id}`)));
  }
  const targets = [addBook, getToken].map(({ alias }) => new LambdaFunction(alias));
  new Rule(stacks.api, "Daily", { schedule: Schedule.rate(Duration.days(1)), targets });
  tables.books.grantReadData(getToken);
};

let without: Template;
let extended: Template;
let assembly: string;
let parts: LibraryApp;
beforeAll(async () => {
  without = await readTemplate(await synthesiseStacks({ stage: "prod" }, await newFolder(), libraryApi));
  assembly = await synthesiseWith((app) => {
    parts = app;
    addResources(app);
  });
  extended = await readTemplate(assembly);
});

/** Returns the ids of the package's resources that the additions change, with the changed resources. */
const changed = (): [string, Resource][] =>
  Object.entries(without.resources)
    .filter(([id, resource]) => !isDeepStrictEqual(resource, extended.resources[id]))
    .map(([id, { Type }]) => [id, extended.resources[id] ?? { Type, DependsOn: [], Properties: {}, Metadata: {} }]);

test("functions, jobs and tables have the names of the declarations, and other names do not compile", () => {
  const names = libraryApi.versions.v1.flatMap(({ endpoints }) => Object.keys(endpoints));
  expect(Object.keys(parts.functions.v1).toSorted()).toEqual(names.toSorted());
  expect(Object.keys(parts.tables)).toEqual(Object.keys(libraryApi.tables));
  expect(parts.functions.v1.addBook.alias.node.path).toBe("IntegrationApi/V1Books/v1-add-book/live");
  expect(Object.keys(parts.jobs)).toEqual(["declareLost"]);
  expect(parts.jobs.declareLost.alias.node.path).toBe("IntegrationApi/job-declare-lost/live");

  // @ts-expect-error There is no such endpoint.
  expect(parts.functions.v1.addBok).toBeUndefined();
  // @ts-expect-error There is no such version.
  expect(parts.functions.v2).toBeUndefined();
  // @ts-expect-error There is no such table.
  expect(parts.tables.bookz).toBeUndefined();
  // @ts-expect-error There is no such job.
  expect(parts.jobs.declareLots).toBeUndefined();
  expectTypeOf(parts.jobs.declareLost.set).parameter(0).toEqualTypeOf<"lost_fee">();
  expectTypeOf(parts.functions.v1.addBook.set).parameter(0).toBeNever();
});

test("a setting that the endpoint does not declare throws an error that names the function", () => {
  expect(() => parts.functions.v1.addBook.set("orders_url" as never, "")).toThrow(
    "v1-add-book has no setting orders_url: it declares no settings.",
  );
});

describe("mistakes of an application end the synthesis with a sentence:", () => {
  const orders = { settings: { orders_url: z.url(), retries: fields.wholeNumber({ min: 0, max: 9 }) } };
  const [resource] = libraryApi.versions.v1.filter(({ name }) => name === "books");
  const endpoints = { ...resource?.endpoints, getBook: { ...getBook, ...orders } };
  const jobs = { declareLost: { ...declareLost, timeoutSeconds: 60 } };
  const { tables, errors } = declared;
  const ordering = service({
    name: "Library",
    title: "Library API",
    versions: { v1: [{ name: "books", folder: "/", endpoints, jobs, tables, errors }] },
  });
  const synthesise = async (extend: (app: ServiceApp) => void, options: Record<string, string> = { stage: "dev" }) =>
    readTemplate(await synthesiseStacks(options, await newFolder(), ordering, extend));
  const getBookOf = ({ functions }: ServiceApp): ConnectedFunction => Object(functions).v1.getBook;

  test.each<[string, (app: ServiceApp) => void, RegExp]>([
    ["an unknown setting", (app) => getBookOf(app).set("url", ""), /^v1-get-book has no setting url: it declares only/],
    ["a value of a wrong form", (app) => getBookOf(app).set("orders_url", "x"), /The setting orders_url must be a URL/],
    [
      "a setting that is set twice",
      (app) => ["1", "2"].map((retries) => getBookOf(app).set("retries", retries)),
      /^The setting retries of v1-get-book is set twice\. Set it once\.$/,
    ],
    [
      "a stream that the table lacks",
      ({ tables }) => Object(tables).books.tableStreamArn,
      /^The table books has no stream\. Add it: serviceApp\(…, \{ streams: \["books"\] \}\)\.$/,
    ],
    [
      "a queue whose visibility timeout is shorter than the function's",
      ({ stacks, jobs }) => {
        const source = (id: string, seconds?: number) =>
          new SqsEventSource(
            new Queue(stacks.data, id, seconds ? { visibilityTimeout: Duration.seconds(seconds) } : {}),
          );
        Object(jobs).declareLost.alias.addEventSource(source("Long", 60));
        Object(jobs).declareLost.alias.addEventSource(source("Usual"));
      },
      /^The visibility timeout of the queue Usual is 30 s, but job-declare-lost may take 60 s\. Declare a visibilityTimeout of at least Duration\.seconds\(60\)\.$/,
    ],
    [
      "stacks that need each other",
      (app) => new CfnOutput(app.stacks.data, "Function", { value: getBookOf(app).alias.functionArn }),
      /^'IntegrationApiData' depends on 'IntegrationApi' .*cyclic reference/s,
    ],
    [
      "a queue in another region, whose name is unknown",
      (app) => new Queue(elsewhere(app), "Queue").grantSendMessages(getBookOf(app)),
      /physical name must be explicit set/,
    ],
  ])("%s", async (_, extend, sentence) => {
    await expect(synthesise(extend)).rejects.toThrow(sentence);
  });

  test("do not include values known at the deployment, repeated grants and named queues elsewhere", async () => {
    const template = await synthesise((app) => {
      const queue = new Queue(app.stacks.data, "Orders");
      for (const _ of ["one", "other"]) queue.grantSendMessages(getBookOf(app));
      getBookOf(app).set("orders_url", queue.queueUrl);
      new Queue(elsewhere(app), "Queue", { queueName: "elsewhere" }).grantSendMessages(getBookOf(app));
    });
    const granted = statementsOf(template).filter(
      ({ functionName, actions }) => functionName === "v1-get-book" && actions.includes("sqs:SendMessage"),
    );
    expect(granted).toHaveLength(2);
  });

  const elsewhere = ({ app }: ServiceApp) => new Stack(app, "Elsewhere", { env: { region: "us-east-1" } });
});

test("grants take effect before the new version, in a policy that outlives the deployment's calls to the old one", () => {
  const granted = Object.entries(extended.ofType("AWS::IAM::Policy")).filter(([id]) => /role\w*Granted/.test(id));
  expect(granted).toHaveLength(3);
  for (const [id, { Properties }] of granted) {
    expect(Properties.PolicyName).toBe(id);
    expect(Object.values(extended.ofType("AWS::Lambda::Function")).flatMap(({ DependsOn }) => DependsOn)).toContain(id);
  }
  const actions = statementsOf(extended).flatMap((one) => (one.functionName === "v1-add-book" ? one.actions : []));
  expect(actions).toEqual(expect.arrayContaining(["sqs:SendMessage", "s3:PutObject", "sqs:ReceiveMessage"]));
});

test("additions change no resource of the package, except that functions wait for their grants", () => {
  expect(changed().map(([id, { Type }]) => [Type, id.replace(/[0-9A-F]{8}$/, "")])).toEqual([
    ["AWS::Lambda::Function", "v1gettoken"],
    ["AWS::Lambda::Function", "jobdeclarelost"],
    ["AWS::CloudFormation::Stack", "V1Books"],
    ["AWS::Lambda::Function", "v1addbook"],
  ]);
  for (const [id, { Type, Properties }] of changed())
    if (Type === "AWS::Lambda::Function") expect(Properties).toEqual(without.resources[id]?.Properties);
});

test("additions in each stack create no dependency cycles", async () => {
  expect(cyclesIn(await readDeployment(assembly, "IntegrationApi"))).toEqual([]);
});

test("the data stack exports what an application adds whether or not a function uses it, under the application's name", async () => {
  const other = service({ ...libraryApi, name: "Shop" });
  const folder = await synthesiseStacks({ stage: "prod" }, await newFolder(), other, ({ stacks }) => {
    new Queue(stacks.data, "Orders");
    new Bucket(stacks.data, "Covers");
    new Table(stacks.data, "Prices", { partitionKey: { name: "sku", type: AttributeType.STRING } });
  });
  const exports = (await readTemplate(folder)).exports();
  expect(extended.exports().filter((name) => exports.includes(name))).toEqual([]);
  const names = exports.join();
  for (const id of ["Orders", "Covers", "Prices"]) {
    expect(names).toMatch(new RegExp(`Shop-prod-data:ExportsOutputRef${id}`));
    expect(names).toMatch(new RegExp(`Shop-prod-data:ExportsOutputFnGetAtt${id}\\w+Arn`));
  }
});

describe("a table with a stream", () => {
  /** Returns the ARN of the stream of books as the application gets it, and the template. */
  const withStream = async (booksTable?: string) => {
    let arn: string | undefined;
    const read: Extend = ({ stacks, tables }) => {
      arn = stacks.api.resolve(tables.books.tableStreamArn);
    };
    const options = { stage: "dev", ...(booksTable !== undefined && { booksTable }) };
    const extend = (app: ServiceApp) => read(app as LibraryApp);
    const folder = await synthesiseStacks(options, await newFolder(), libraryApi, extend, ["books"]);
    return { arn, template: await readTemplate(folder) };
  };

  test("exports its ARN", async () => {
    const { arn, template } = await withStream();
    expect(arn).toEqual({ "Fn::GetAtt": [expect.stringMatching(/^BooksTable/), "StreamArn"] });
    expect(template.exports().join()).toMatch(/GetAttBooksTable\w*StreamArn/);
    expect(template.resources.BooksTable?.Properties).toHaveProperty("StreamSpecification");
    expect(template.resources.LoansTable?.Properties).not.toHaveProperty("StreamSpecification");
  });

  test("is replaced by a restored table only together with the stream of that table", async () => {
    const stream = "arn:aws:dynamodb:eu-west-1:123456789012:table/restored/stream/2027-01-31T12:00:00.000";
    const { arn, template } = await withStream(stream);
    expect(arn).toBe(stream);
    expect(template.outputs).toMatchObject({ BooksTableName: { Value: "restored" } });
    await expect(withStream("restored")).rejects.toThrow(/^booksTable must be the ARN of the table's stream/);
  });
});
