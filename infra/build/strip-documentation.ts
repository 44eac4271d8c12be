import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { parseSync, Visitor } from "rolldown/utils";

/** What of an endpoint only the description of the API reads. */
const documentation = new Set(["summary", "description", "responses", "conflicts"]);

/**
 * Leaves out of a bundle what the source says for the documentation alone: the texts of endpoints, the schemas of their
 * answers, and what schemas tell of themselves by `z.meta`. A function would load all of it at each start, and never read
 * it. A module that nothing is taken from any more is left out by esbuild, since package.json says that none has side effects.
 */
export const stripDocumentation: Plugin = {
  name: "strip-documentation",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]lambdas[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { contents: isDocumented.test(text) ? withoutDocumentation(text) : text, loader: "ts" };
    });
  },
};

/** Most modules need not be parsed. */
const isDocumented = /\b(endpoint\(|z\.meta\()/;

/** The text of a module without what only the documentation reads. */
export const withoutDocumentation = (text: string): string => {
  const found: { start: number; end: number }[] = [];
  new Visitor({
    CallExpression(call) {
      const { callee, arguments: given } = call;
      if (callee.type === "MemberExpression" && text.slice(callee.start, callee.end) === "z.meta") found.push(call);
      if (callee.type !== "Identifier" || callee.name !== "endpoint" || given[0]?.type !== "ObjectExpression") return;
      found.push(
        ...given[0].properties.filter(
          (property) =>
            property.type === "Property" && property.key.type === "Identifier" && documentation.has(property.key.name),
        ),
      );
    },
  }).visit(parseSync("module.ts", text).program);

  let [kept, at] = ["", 0];
  for (const { start, end } of found.toSorted((one, other) => one.start - other.start)) {
    // It may lie in one that was left out before.
    if (start < at) continue;
    kept += text.slice(at, start);
    // The comma goes with it.
    at = end + (/^\s*,/.exec(text.slice(end))?.[0].length ?? 0);
  }
  return kept + text.slice(at);
};
