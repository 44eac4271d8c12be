import { expect, test } from "vitest";
import { sharedService, writeFunctions } from "../support/services.ts";

const cases: [what: string, name: string, code: string, reason: string, properties?: object][] = [
  ["runs out of time", "slow", "exports.handler = () => new Promise(() => {})", "Task timed out", { Timeout: 0.2 }],
  [
    "runs out of memory",
    "large",
    "exports.handler = () => { for (const all = [];;) all.push(new Array(1e6).fill(0.5)) }",
    "OutOfMemory",
    { Timeout: 20 },
  ],
  ["ends its process", "quitter", "exports.handler = async () => process.exit(3)", "exit status 3"],
  ["throws a string", "thrower", "exports.handler = async () => { throw 'a text' }", "a text"],
  ["fails to load", "broken", "throw new Error('no table')", "no table"],
  ["returns a malformed response", "malformed", "exports.handler = async () => ({ statusCode: 'x' })", "malformed"],
];

const service = sharedService(async (directory) => ({
  assembly: await writeFunctions(
    directory,
    Object.fromEntries(cases.map(([, name, code, , properties = {}]) => [name, { code, properties }])),
    Object.fromEntries(cases.map(([, name]) => [`GET /${name}`, name])),
  ),
}));

test.each(cases)(
  "a function that %s is a JSON 500, and the log says why under its request id",
  async (_, name, __, reason) => {
    const answer = await fetch(`${service().baseUrl}/${name}`);

    expect(answer.status).toBe(500);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toEqual({ message: "Internal Server Error" });
    const id = answer.headers.get("apigw-requestid") ?? "none";
    const lines = service().logged().split("\n");
    expect(lines.filter((line) => line.includes(id) && line.includes(reason))).toHaveLength(1);
  },
);
