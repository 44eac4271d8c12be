import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../infra/build/project-folder.ts";
import { api } from "../../lambdas/api.ts";
import type { Endpoint } from "../../lambdas/declaration/endpoint.ts";
import { operationsOf } from "../../lambdas/declaration/operations.ts";
import { type Resource, resource, type Service, service } from "../../lambdas/declaration/service.ts";
import { keys } from "../../lambdas/v1/keys.ts";
import { tokens } from "../../lambdas/v1/tokens.ts";

/** How many endpoints the stack of a resource has room for. */
export const endpointsInStack = 36;

const versionCount = 3;

interface ManyEndpoints {
  /** The folder of the modules, and what they export, if they have been written. */
  folder?: string;
  written?: Readonly<Record<string, Endpoint>>;
  inResource?: number;
  /** The resources of this project that it has. */
  own?: readonly Resource[];
}

/**
 * A service with so many endpoints in three versions: this project's own, and copies of its endpoints for keys, in resources
 * of `inResource` endpoints.
 */
export const manyEndpoints = (
  count: number,
  { folder = "", written = {}, inResource = endpointsInStack, own = [tokens, keys] }: ManyEndpoints = {},
): Service => {
  const originals = Object.entries<Endpoint>(keys.endpoints);
  const ownCount = own.flatMap(({ endpoints }) => Object.keys(endpoints)).length;
  const copies = Array.from({ length: count - ownCount }, (_, index) => {
    const [name, endpoint] = originals[index % originals.length] ?? ["", keys.endpoints.getKey];
    const path = `/key${index}${endpoint.path.replace("/key", "")}` as const;
    return [`${name}${index}`, written[`${name}${index}`] ?? { ...endpoint, path }] as const;
  });
  const groups = Object.values(Object.groupBy(copies, (_, index) => `group ${Math.floor(index / inResource)}`));
  const resources = groups.map((group = [], index) =>
    resource({ name: `keys${index}`, folder, endpoints: Object.fromEntries(group), tables: keys.tables }),
  );
  const inVersion = (version: number) => resources.filter((_, index) => index % versionCount === version);
  return service({
    ...api,
    title: `${count} endpoints`,
    versions: { v1: [...own, ...inVersion(0)], v2: inVersion(1), v3: inVersion(2) },
  });
};

/** Writes such a service, without this project's keys, into a folder, as an application has it: a module for each endpoint. */
export const writeManyEndpoints = async (count: number, top: string): Promise<void> => {
  const folder = join(top, "lambdas");
  await mkdir(folder, { recursive: true });
  await symlink(join(packageFolder, "node_modules"), join(top, "node_modules"));
  const written = operationsOf(manyEndpoints(count, { folder, own: [tokens] })).filter(({ file }) =>
    file.startsWith(folder),
  );
  for (const { operationId, endpoint, file } of written) {
    const name = operationId.replace(/\d+$/, "");
    const original = operationsOf(api).find((one) => one.operationId === name)?.file;
    await writeFile(
      `${file}.ts`,
      `import { ${name} } from "${original}.ts";\n\nexport const ${operationId} = { ...${name}, path: "${endpoint.path}" as const };\n`,
    );
  }
  const names = written.map(({ operationId }) => operationId);
  const imports = written.map(({ operationId, file }) => `import { ${operationId} } from "${file}.ts";\n`);
  const files = {
    "service.ts": `${imports.join("")}import { tokens } from "${packageFolder}lambdas/v1/tokens.ts";
import { manyEndpoints } from "${import.meta.filename}";\n
export const many = manyEndpoints(${count}, { folder: "${folder}", written: { ${names.join(", ")} }, own: [tokens] });\n`,
    "app.ts": `import { serviceApp } from "${packageFolder}infra/service-app.ts";\nimport { many } from "./service.ts";\n
await serviceApp(many);\n`,
    "cdk.json": JSON.stringify({
      app: "node app.ts",
      build: `node ${packageFolder}local/docs.mjs service.ts`,
      context: { "cli-telemetry": false },
    }),
    "package.json": JSON.stringify({ version: "1.0.0", type: "module" }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(top, name), text);
};
