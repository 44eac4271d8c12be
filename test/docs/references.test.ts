import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const project = fileURLToPath(new URL("../../", import.meta.url));

const files = globSync("{.github,docs,examples,infra,lambdas,local,openapi,packages,test,tools,web}/**/*.*", {
  cwd: project,
  exclude: (path) => /(^|\/)(node_modules|dist|fixtures)$/.test(path),
}).concat(globSync("*.*", { cwd: project }));
const known = new Set(files);
const names = new Set(files.map((file) => basename(file)));

const isModule = (file: string): boolean => /\.(ts|tsx|mjs|cjs|js|py)$/.test(file);
const isText = (file: string): boolean => file.endsWith(".md") && basename(file) !== "CHANGELOG.md";

const blockComment = /\/\*[\s\S]*?\*\//g;
const comment = /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm;
const fencedCode = /```[\s\S]*?```/g;

/** Names that occur in examples. */
const inExamples = ["openOrders", "../v1/get-key.ts", "database.mjs"];
/** Names of other packages. */
const ofOthers = ["awsJwt", "docs/services/apigatewayv2/README.md", "useSearchParams"];
const elsewhere = new Set([...inExamples, ...ofOthers]);

/** Returns a module's comments, or a document without its code blocks. */
const proseOf = (file: string, text: string): string =>
  isText(file) ? text.replace(fencedCode, "") : [...text.matchAll(comment)].join("\n");

const exists = (path: string, from: string): boolean =>
  known.has(path) ||
  known.has(normalize(join(dirname(from), path))) ||
  (path.includes("/") ? files.some((file) => file.endsWith(`/${path}`)) : names.has(path));

test("comments and documents mention only existing files and identifiers", async () => {
  const texts = new Map<string, string>();
  for (const file of files.filter((file) => isModule(file) || isText(file) || file.endsWith(".json"))) {
    texts.set(file, await readFile(join(project, file), "utf8"));
  }
  const code = [...texts].filter(([file]) => !isText(file)).map(([, text]) => text.replace(blockComment, ""));
  const identifiers = new Set(code.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));

  const missing = [...texts]
    .filter(([file]) => isText(file) || /\.(ts|tsx|mjs)$/.test(file))
    .flatMap(([file, text]) => {
      const prose = proseOf(file, text);
      const paths = prose.matchAll(/(?<![\w@*<>{}./-])((?:\.{1,2}\/)*[\w-][\w./-]*\.(?:ts|tsx|mjs|md))\b(?![\w<>])/g);
      const camelCase = prose.matchAll(/`([a-z]+[A-Z]\w*)(?:\(\))?`/g);
      return [
        ...[...paths].flatMap(([, path = ""]) => (exists(path, file) ? [] : [path])),
        ...[...camelCase].flatMap(([, name = ""]) => (identifiers.has(name) ? [] : [name])),
      ]
        .filter((reference) => !elsewhere.has(reference))
        .map((reference) => `${file}: ${reference}`);
    });
  expect(missing).toEqual([]);
});
