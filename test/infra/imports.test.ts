import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const project = fileURLToPath(new URL("../../", import.meta.url));

/** The parts of the project, from the bottom to the top, with what each may import besides itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  packages: [],
  lambdas: [],
  openapi: ["lambdas"],
  web: ["lambdas", "openapi"],
  infra: ["lambdas", "openapi", "web"],
  local: ["lambdas", "openapi", "web", "infra", "packages"],
  kit: ["lambdas", "openapi", "infra", "local", "packages"],
  tools: ["lambdas", "openapi", "web", "infra", "local", "packages", "kit"],
  test: ["lambdas", "openapi", "web", "infra", "local", "packages", "kit", "tools"],
};

/** The layers of lambdas/. A module may import from its own folder, and from the lines above its own. */
const layers = [
  /^lambdas\/shared\//,
  /^lambdas\/dynamodb\//,
  /^lambdas\/domain\//,
  /^lambdas\/declaration\//,
  /^lambdas\/(middlewares|v\d+)\//,
  /^lambdas\/[\w-]+\/|^lambdas\/(api|package)\.ts$/,
];

/** The folders of functions whose modules another function may use: the pages of the site, and the notices that admins see. */
const mayShare = [
  /^lambdas\/fallback\/.* → lambdas\/site\//,
  /^lambdas\/(notices|usage)\/.* → lambdas\/(admin|notices)\//,
];

const modules = new Set(
  globSync("{infra,lambdas,local,openapi,packages,test,tools,web}/**/*.{ts,tsx,mjs}", {
    cwd: project,
    exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
  }),
);

/** Matches imports and exports of values or types, imports for side effects, and imports at run time or within a type. */
const specifiers = /^(?:im|ex)port\b[^'"`;]*?\bfrom "(.+?)"|^import "(.+?)"|\bimport\(\s*"(.+?)"/gm;

/** Returns the project's modules and packages that a module imports, including types. */
const importsOf = (module: string): string[] => {
  const found = readFileSync(join(project, module), "utf8").matchAll(specifiers);
  return [...found].flatMap(([, from, effects, inner]) => {
    const specifier = from ?? effects ?? inner ?? "";
    if (/^(cdk-local-runner|integration-api-client)\b/.test(specifier)) return `packages/${specifier}`;
    const path = join(dirname(module), specifier);
    return modules.has(path) ? path : [];
  });
};

const imports = new Map(Array.from(modules, (module) => [module, importsOf(module)]));

const importsThat = (isForbidden: (from: string, to: string) => boolean): string[] =>
  [...imports].flatMap(([from, all]) => all.filter((to) => isForbidden(from, to)).map((to) => `${from} → ${to}`));

/** Returns the part of the project that a file belongs to. Packages have their own tests. */
const partOf = (path: string): string => {
  if (/^packages\/[\w-]+\/test\//.test(path)) return "test";
  return path.startsWith("test/kit/") ? "kit" : (path.split("/")[0] ?? "");
};

test("no part of the project imports from a part that depends on it", () => {
  const forbidden = importsThat((from, to) => {
    const [part, imported] = [partOf(from), partOf(to)];
    return part !== imported && !mayImport[part]?.includes(imported);
  });

  expect(forbidden).toEqual([]);
});

test("the local runner is imported only by its name and its public exports", () => {
  const isInside = (path: string) => modules.has(path) && path.startsWith("packages/cdk-local-runner/");
  const byName = new Set(
    [...imports.values()].flat().filter((path) => path.startsWith("packages/cdk-local-runner") && !modules.has(path)),
  );

  expect(importsThat((from, to) => isInside(to) && !isInside(from))).toEqual([]);
  expect([...byName].toSorted()).toEqual(
    ["", "/database", "/parts"].map((entry) => `packages/cdk-local-runner${entry}`),
  );
});

test("modules of the functions import only from lower layers", () => {
  const layerOf = (path: string): number => layers.findIndex((layer) => layer.test(path));
  // A version may reuse endpoints of an earlier one.
  const folderOf = (path: string): string => path.split("/", 2).join("/").replace(/v\d+$/, "v1");
  const forbidden = importsThat(
    (from, to) =>
      from.startsWith("lambdas/") &&
      folderOf(from) !== folderOf(to) &&
      layerOf(from) <= layerOf(to) &&
      !mayShare.some((shared) => shared.test(`${from} → ${to}`)),
  );

  expect(forbidden).toEqual([]);
  expect([...modules].filter((module) => module.startsWith("lambdas/") && layerOf(module) < 0)).toEqual([]);
});

test("endpoints import no package except zod", () => {
  const packages = [...modules]
    .filter((module) => /^lambdas\/v\d+\//.test(module))
    .flatMap((module) => [...readFileSync(join(project, module), "utf8").matchAll(specifiers)])
    .map(([, from, effects, inner]) => from ?? effects ?? inner ?? "")
    .filter((specifier) => !specifier.startsWith("."));

  expect(new Set(packages)).toEqual(new Set(["zod/mini"]));
});

test("modules do not import each other in cycles", () => {
  let rest = [...modules];
  for (let size = Number.POSITIVE_INFINITY; rest.length < size; ) {
    size = rest.length;
    const left = new Set(rest);
    const imported = new Set(rest.flatMap((module) => imports.get(module) ?? []));
    rest = rest.filter((module) => imported.has(module) && imports.get(module)?.some((path) => left.has(path)));
  }

  expect(rest).toEqual([]);
});
