import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Intercept, type ObservedDatabase, startObservedDatabase } from "./support/observed-database.ts";
import { runCommand, startCommand } from "./support/run-command.ts";

const [source, target] = ["source", "target"];
const tables = ["--from", source, "--to", target];

let database: ObservedDatabase;
let folder: string;
beforeEach(async () => {
  database = await startObservedDatabase();
  folder = await mkdtemp(join(tmpdir(), "integration-api-recovery-"));
  await database.createTable(source);
  await database.createTable(target);
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true });
});

const copy = (...words: string[]) => copyIn(database.environment, ...words);
const copyIn = (environment: Record<string, string>, ...words: string[]) =>
  runCommand("copy-table.ts", [...tables, ...words], { folder, environment });
const start = (...words: string[]) =>
  startCommand("copy-table.ts", [...tables, ...words], { folder, environment: database.environment });
const key = (id: string, fields = {}) => ({ key_id: { S: id }, ...fields });
const isWrite = (operation: string) => operation === "BatchWriteItem" || operation === "PutItem";

/** Where the state of a copy is kept. */
const checkpoint = () => join(folder, `copy-${source}-to-${target}.checkpoint.json`);

/** The number of completed items in the checkpoint. */
const doneSoFar = async (): Promise<number> => {
  if (!existsSync(checkpoint())) return 0;
  const { segments }: { segments: { done: number }[] } = JSON.parse(await readFile(checkpoint(), "utf8"));
  return segments.reduce((sum, { done }) => sum + done, 0);
};

describe("a copy into an empty table", () => {
  test("has every item just as it is, whatever its attributes, and leaves no file behind", async () => {
    const items = [
      key("all types", {
        n: { N: "12345678901234567890.12345" },
        b: { B: new Uint8Array([0, 255, 10]) },
        ss: { SS: ["a", "b"] },
        m: { M: { deep: { L: [{ BOOL: true }, { NULL: true }, { S: "" }] } } },
      }),
      key("ключ 🔑"),
    ];
    await database.put(source, ...items);
    // In a process of its own, which has to end by itself.
    const { output, messages, exitCode } = await start().result;

    expect({ messages, exitCode }).toMatchObject({ exitCode: 0 });
    expect(output).toMatch(new RegExp(`Copied 2 items, in \\d+ s\\. ${target} has 2 items\\.\n$`));
    expect(await database.items(target)).toEqual(await database.items(source));
    expect(await database.items(target)).toHaveLength(2);
    expect(await readdir(folder)).toEqual([]);
  });

  test("goes through all pages of all segments", async () => {
    await database.fill(source, 2100);
    expect((await copy("--segments", "2")).output).toContain("Copied 2,100 items");

    expect(await database.items(target)).toEqual(await database.items(source));
  });

  test("does not lose what DynamoDB leaves unprocessed or throttles", async () => {
    await database.fill(source, 100);
    let writes = 0;
    database.intercept = ({ operation, body }) => {
      if (operation !== "BatchWriteItem") return undefined;
      writes += 1;
      const type = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException";
      if (writes % 5 === 1) return { status: 200, body: { UnprocessedItems: body.RequestItems } };
      return writes % 5 === 2 ? { status: 400, body: { __type: type, message: "slow down" } } : undefined;
    };

    expect((await copy()).exitCode).toBe(0);
    expect(writes).toBeGreaterThan(4);
    expect(await database.items(target)).toHaveLength(100);
  });

  test("fails if the other table has fewer items in the end, and says how to copy what is missing", async () => {
    await database.fill(source, 10);
    database.intercept = ({ operation, body }) =>
      operation === "Scan" && body.Select === "COUNT" ? { status: 200, body: { Count: 1 } } : undefined;
    const { messages, exitCode } = await copy("--segments", "1");

    expect(exitCode).toBe(1);
    expect(messages).toContain(`${target} has 1 items. 10 were copied, so others have been deleted meanwhile`);
    expect(messages).toContain("--only-missing");
  });

  test("is from one region to another if asked to", async () => {
    await database.fill(source, 1);
    expect((await copy("--from-region", "eu-west-1", "--to-region", "eu-central-1")).exitCode).toBe(0);

    const regionsOf = (name: string) =>
      new Set(
        database.requests.filter(({ body }) => JSON.stringify(body).includes(`"${name}"`)).map(({ region }) => region),
      );
    expect([...regionsOf(source)]).toEqual(["eu-west-1"]);
    expect([...regionsOf(target)]).toEqual(["eu-central-1"]);
  });
});

test("the region of the environment is found under both of its names", async () => {
  const { AWS_REGION: _, ...environment } = database.environment;
  expect(await copyIn({ ...environment, AWS_DEFAULT_REGION: "eu-west-1" })).toMatchObject({ exitCode: 0 });

  expect(new Set(database.requests.map(({ region }) => region))).toEqual(new Set(["eu-west-1"]));
});

describe("a copy into a table that has items", () => {
  beforeEach(async () => {
    await database.put(source, key("both", { v: { S: "source" } }), key("source only"));
    await database.put(target, key("both", { v: { S: "target" } }), key("target only"));
  });
  const valueOfBoth = async () => (await database.items(target)).find(({ key_id }) => key_id?.S === "both")?.v?.S;

  test("is refused unless it is clear what becomes of them", async () => {
    const { messages, exitCode } = await copy();

    expect(exitCode).toBe(1);
    expect(messages).toBe(
      `${target} is not empty: add --only-missing to keep the items that it has, or --overwrite to replace those that are also in the other table.\n`,
    );
    expect(await database.items(target)).toHaveLength(2);
  });

  test("keeps them with --only-missing", async () => {
    const { output } = await copy("--only-missing");

    expect(output).toContain("Copied 1 items and kept 1 that were there already");
    expect(await valueOfBoth()).toBe("target");
    expect(await database.items(target)).toHaveLength(3);
  });

  test("replaces those with the same key with --overwrite, and keeps the others", async () => {
    expect((await copy("--overwrite")).output).toContain("Copied 2 items");

    expect(await valueOfBoth()).toBe("source");
    expect(await database.items(target)).toHaveLength(3);
  });

  test("takes only items that have one of the attributes, with --having", async () => {
    await database.put(source, key("revoked", { revoked_at: { S: "x" } }), key("rotated", { rotated_at: { S: "x" } }));
    const { output } = await copy("--overwrite", "--having", "revoked_at", "--having", "rotated_at");

    expect(output).toContain("Copied 2 items");
    expect((await database.items(target)).map(({ key_id }) => key_id?.S)).toEqual([
      "both",
      "revoked",
      "rotated",
      "target only",
    ]);
  });
});

describe("what a deleted key has left", () => {
  const deletedAt = "2027-01-31T12:00:00.999Z";
  const deletion = (id: string) =>
    key(id, { updated_at: { S: deletedAt }, deletion_id: { S: "d" }, delete_at: { N: "1801396800" } });
  const live = (id: string, time: string) => key(id, { v_code: { S: "v" }, updated_at: { S: time } });
  const earlier = "2027-01-31T11:00:00.000Z";
  const later = "2027-01-31T13:00:00.000Z";

  test("is neither copied nor counted", async () => {
    await database.put(source, deletion("deleted"), live("kept", earlier));
    await database.put(target, live("deleted", later), deletion("other"));

    expect((await copy("--overwrite")).output).toMatch(
      new RegExp(`Copied 1 items, in \\d+ s\\. ${target} has 2 items\\.`),
    );
    expect(await database.items(target)).toEqual([live("deleted", later), live("kept", earlier), deletion("other")]);
  });

  test.each([[["--only-missing"]], [["--overwrite"]]])("is replaced by the key with %s", async (words) => {
    await database.put(source, live("deleted", later));
    await database.put(target, deletion("deleted"));

    expect((await copy(...words)).output).toContain("Copied 1 items, in");
    expect(await database.items(target)).toEqual([live("deleted", later)]);
  });

  test("is replaced with a later time, so that the deletion has no effect if it is carried out late", async () => {
    await database.put(source, live("deleted", earlier));
    await database.put(target, deletion("deleted"));
    await copy("--only-missing");

    expect(await database.items(target)).toEqual([live("deleted", "2027-01-31T12:00:01.000Z")]);
  });

  const justAfter = live("deleted", "2027-01-31T12:00:01.000Z");
  const alive = { ...live("deleted", earlier), comment: { S: "created meanwhile" } };
  const deletedAgain = { ...deletion("deleted"), deletion_id: { S: "deleted again" } };

  test.each([
    ["not replaced if a key is created", alive, "Copied 0 items and kept 1 that were there already", alive],
    ["replaced if a key is created and deleted again", deletedAgain, "Copied 1 items, in", justAfter],
  ])("is %s meanwhile", async (_, put, sentence, left) => {
    await database.put(source, live("deleted", earlier));
    await database.put(target, deletion("deleted"));
    let puts = 0;
    database.intercept = async ({ operation, body }) => {
      if (operation !== "PutItem" || !body.ConditionExpression) return undefined;
      puts += 1;
      if (puts === 2) await database.put(target, put);
      return undefined;
    };

    expect((await copy("--only-missing")).output).toContain(sentence);
    expect(await database.items(target)).toEqual([left]);
  });
});

describe("an interrupted copy", () => {
  const count = 2100;
  beforeEach(() => database.fill(source, count));

  /** Lets one page of a thousand items be written, and holds every write after it until it is released. */
  const holdAfterFirstPage = () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    let writes = 0;
    const intercept: Intercept = async ({ operation }) => {
      if (isWrite(operation)) writes += 1;
      if (isWrite(operation) && writes > 40) await promise;
      return undefined;
    };
    database.intercept = intercept;
    return () => {
      database.intercept = () => undefined;
      release();
    };
  };

  test.each([
    ["was killed", "SIGKILL"],
    ["was ended by Ctrl-C", "SIGINT"],
    ["was asked to end", "SIGTERM"],
  ] as const)("that %s goes on where it was, and is then complete", async (_, signal) => {
    const release = holdAfterFirstPage();
    const { child, result } = start("--segments", "1");
    await expect.poll(doneSoFar).toBe(1000);
    child.kill(signal);
    const { exitCode, messages } = await result;
    release();

    expect(exitCode).toBe(signal === "SIGKILL" ? null : 130);
    if (signal !== "SIGKILL") expect(messages).toContain("Interrupted. Run the same command again to continue");
    expect((await stat(checkpoint())).mode & 0o777).toBe(0o600);

    database.requests.length = 0;
    const { output } = await copy("--segments", "1");
    expect(output).toContain(`Continuing the copy that was interrupted after 1,000 items`);
    expect(output).toContain("Copied 2,100 items");
    expect(await database.items(target)).toEqual(await database.items(source));
    const written = database.requests.filter(({ operation }) => operation === "BatchWriteItem").length * 25;
    expect(written).toBe(count - 1000);
    expect(await readdir(folder)).toEqual([]);
  });

  test("is not continued by a command that copies something else, or if a table has been replaced", async () => {
    let writes = 0;
    database.intercept = ({ operation }) => {
      if (isWrite(operation)) writes += 1;
      return writes > 40 ? { status: 400, body: { __type: "com.amazon#AccessDeniedException" } } : undefined;
    };
    expect(await copy("--segments", "1")).toMatchObject({ exitCode: 1 });
    expect(await doneSoFar()).toBe(1000);
    database.intercept = () => undefined;
    const sentence =
      /checkpoint\.json is of another copy, or one of the tables has been replaced since: delete it to copy from the beg/;

    for (const words of [["--overwrite"], ["--having", "revoked_at"]]) {
      expect(await copy(...words)).toMatchObject({ exitCode: 1, messages: expect.stringMatching(sentence) });
    }
    await database.client.send(new DeleteTableCommand({ TableName: source }));
    await vi.waitFor(() => database.createTable(source));
    expect(await copy()).toMatchObject({ exitCode: 1, messages: expect.stringMatching(sentence) });
  });
});

describe("a copy is refused with what to do", () => {
  const refusal = async (environment: Record<string, string>, words: string[]) => {
    const { output, messages, exitCode } = await copyIn(environment, ...words);
    expect({ output, exitCode }).toEqual({ output: "", exitCode: 1 });
    return messages;
  };

  test.each([
    ["no table is named", ["--from", ""], /^Usage: npm run copy-table -- --from <table> --to <table>/],
    ["an option does not exist", ["--form", "x"], /^Unknown option '--form'/],
    [
      "the source does not exist",
      ["--from", "nowhere", "--from-region", "eu-west-1"],
      /^There is no table nowhere in eu-west-1: check --from and --from-region/,
    ],
    [
      "the target does not exist",
      ["--to", "nowhere"],
      /^There is no table nowhere in us-east-1: check --to and --to-r/,
    ],
    ["both are one table", ["--to", source], /^--from and --to are the same table, source in us-east-1/],
    ["two modes are named", ["--overwrite", "--only-missing"], /^--only-missing and --overwrite exclude each other/],
    ["there are no segments", ["--segments", "0"], /^--segments is 0, which is not a number from 1 to 100\./],
    [
      "the tables have different keys",
      ["--to", "other"],
      /^source has the key key_id \(S\), and other has token_id \(S\), hour \(S\): check --from and --to\.\n$/,
    ],
  ])("%s", async (_, words, sentence) => {
    await database.createTable("other", ["token_id", "hour"]);

    expect(await refusal(database.environment, words)).toMatch(sentence);
  });

  test.each([
    ["there are no credentials", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"], /^There are no AWS credentials .*aws/],
    ["no region is set", ["AWS_REGION"], /^No AWS region is set: set AWS_REGION/],
  ])("%s", async (_, missing, sentence) => {
    const present = Object.entries(database.environment).filter(([name]) => !missing.includes(name));

    expect(await refusal(Object.fromEntries(present), [])).toMatch(sentence);
  });

  test.each([
    ["AccessDeniedException", /^The credentials do not give access to table source in us-east-1 .*DescribeTable/],
    ["ExpiredTokenException", /^AWS does not accept the credentials .*: sign in again/],
    ["UnrecognizedClientException", /^AWS does not accept the credentials/],
  ])("AWS answers %s", async (type, sentence) => {
    database.intercept = () => ({ status: 400, body: { __type: `com.amazon.coral.service#${type}`, message: "no" } });

    expect(await refusal(database.environment, [])).toMatch(sentence);
  });
});
