import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { api } from "../../lambdas/api.ts";
import type { Endpoint } from "../../lambdas/declaration/endpoint.ts";
import { operationsOf } from "../../lambdas/declaration/operations.ts";
import { resource, type Service, service } from "../../lambdas/declaration/service.ts";
import { keys } from "../../lambdas/v1/keys.ts";
import { tokens } from "../../lambdas/v1/tokens.ts";

/** How many endpoints the stack of a resource has room for. */
export const endpointsInStack = 36;

const versions = ["v1", "v2", "v3"] as const;

/**
 * A service with so many endpoints in three versions: those of this project, and copies of its endpoints for keys, in resources
 * of `inResource` endpoints. `writeEndpoints` writes their modules into the folder.
 */
export const manyEndpoints = (count: number, folder = "", inResource = endpointsInStack): Service => {
  const originals = Object.entries<Endpoint>(keys.endpoints);
  const copies = Array.from({ length: count - originals.length - Object.keys(tokens.endpoints).length }, (_, index) => {
    const [name, endpoint] = originals[index % originals.length] ?? ["", keys.endpoints.getKey];
    const path = endpoint.path.replace("/key", "") as "" | `/${string}`;
    return [`${name}${index}`, { ...endpoint, path: `/key${index}${path}` as const }] as const;
  });
  const groups = Object.values(Object.groupBy(copies, (_, index) => `group ${Math.floor(index / inResource)}`));
  const resources = groups.map((group = [], index) => {
    const endpoints = Object.fromEntries(group);
    return resource({ name: `keys${index}`, folder, endpoints, tables: keys.tables });
  });
  const inVersion = (version: number) => resources.filter((_, index) => index % versions.length === version);
  return service({
    ...api,
    title: `${count} endpoints`,
    versions: { v1: [tokens, keys, ...inVersion(0)], v2: inVersion(1), v3: inVersion(2) },
  });
};

/** Writes the modules of the copies, as an application would have them, and a CDK app. Returns the file of the app. */
export const writeEndpoints = async (count: number, folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  for (const { resource: of, endpoint, operationId, file } of operationsOf(manyEndpoints(count, folder))) {
    if (of === keys || of === tokens) continue;
    const name = operationId.replace(/\d+$/, "");
    const original = operationsOf(manyEndpoints(10)).find((one) => one.operationId === name)?.file;
    await writeFile(
      `${file}.ts`,
      `import { ${name} } from "${original}.ts";\n\nexport const ${operationId} = { ...${name}, path: "${endpoint.path}" };\n`,
    );
  }
  const app = join(folder, "app.ts");
  const [here, top] = [import.meta.filename, join(import.meta.dirname, "../..")];
  await writeFile(
    app,
    `import { serviceApp } from "${top}/infra/service-app.ts";
import { manyEndpoints } from "${here}";

await serviceApp(manyEndpoints(${count}, "${folder}"));
`,
  );
  return app;
};
