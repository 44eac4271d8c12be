import { api } from "../../lambdas/api.ts";
import type { Endpoint } from "../../lambdas/declaration/endpoint.ts";
import { resource, type Service, service } from "../../lambdas/declaration/service.ts";
import { keys } from "../../lambdas/v1/keys.ts";
import { tokens } from "../../lambdas/v1/tokens.ts";

/** The maximum number of endpoints in a resource's stack. */
export const endpointsInStack = 36;

const versionCount = 3;

/**
 * Returns a service with this many endpoints in three versions: this project's own service, and copies of its key endpoints in
 * resources of `inResource` endpoints each.
 */
export const manyEndpoints = (count: number, inResource = endpointsInStack): Service => {
  const originals = Object.entries<Endpoint>(keys.endpoints);
  const ownCount = [tokens, keys].flatMap(({ endpoints }) => Object.keys(endpoints)).length;
  const copies = Array.from({ length: count - ownCount }, (_, index) => {
    const [name, endpoint] = originals[index % originals.length] ?? ["", keys.endpoints.getKey];
    const path = `/key${index}${endpoint.path.replace("/key", "")}` as const;
    return [`${name}${index}`, { ...endpoint, path }] as const;
  });
  const groups = Object.values(Object.groupBy(copies, (_, index) => `group ${Math.floor(index / inResource)}`));
  const resources = groups.map((group = [], index) =>
    resource({ name: `keys${index}`, folder: "", endpoints: Object.fromEntries(group), tables: keys.tables }),
  );
  const inVersion = (version: number) => resources.filter((_, index) => index % versionCount === version);
  return service({
    ...api,
    title: `${count} endpoints`,
    versions: { v1: [tokens, keys, ...inVersion(0)], v2: inVersion(1), v3: inVersion(2) },
  });
};
