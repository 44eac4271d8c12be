import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const publicNames = ["cdk-local-runner", "cdk-local-runner/database", "cdk-local-runner/parts"];

test("the repository imports the local runner only by its name and its exports", async () => {
  const specifiers: string[] = [];
  const internal: string[] = [];
  for await (const file of glob("{infra,lambdas,local,test,tools,web,packages/client}/**/*.{ts,tsx,mjs}", {
    cwd: repository,
    exclude: ["**/node_modules/**"],
  })) {
    const text = await readFile(join(repository, file), "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:\bfrom|^import|\bimport\() ?"([^"]+)"/gm)) {
      const imported = specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : specifier;
      if (imported.startsWith("cdk-local-runner")) specifiers.push(imported);
      if (imported.startsWith("packages/local-runner")) internal.push(`${file}: ${specifier}`);
    }
  }

  expect([...new Set(specifiers)].toSorted()).toEqual(publicNames);
  expect(internal).toEqual([]);
});
