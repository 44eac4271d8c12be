import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findNode, installPackedClient } from "./support/packed-client.ts";

let project: Awaited<ReturnType<typeof installPackedClient>>;
beforeAll(async () => {
  project = await installPackedClient();
  const program = new URL("support/cancellation.mjs", import.meta.url);
  await project.write("cancellation.mjs", await readFile(program, "utf8"));
});
afterAll(() => project.close());

test.for([
  ["the Node.js of the tests", process.execPath],
  ["Node.js 20", await findNode(20)],
])(
  "with %s, every operation ends with its signal or its limit after a garbage collection, and closes its connection",
  async ([name, node], { skip }) => {
    if (node === undefined) return skip(`${name} is not on the path`);
    const { stdout } = await project.run(node, "cancellation.mjs", {}, "--expose-gc");
    const { cases, problems } = JSON.parse(stdout);

    expect(problems, name).toEqual({});
    expect(cases).toBeGreaterThan(400);
  },
);
