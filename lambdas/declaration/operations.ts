import { versionPath } from "../addresses.ts";
import type { Endpoint } from "./endpoint.ts";

/** One version of the API: `/api/<version>/…`. */
export interface Version {
  /** The folder of its endpoint files, from the top of the project. The file of `createKey` is `create-key.ts`. */
  folder: string;
  /** Its endpoints by name; the name is the `operationId` in the description of the API. */
  endpoints: Readonly<Record<string, Endpoint>>;
  /** Announces the end of the version in every response: the `Deprecation` and `Sunset` headers. */
  deprecated?: { since: Date; sunset: Date };
}

/** The versions of the API, by their name in the path. */
export type Api = Readonly<Record<`v${number}`, Version>>;

/** An endpoint in its version, with the names and the path that follow from both. */
export interface Operation {
  endpoint: Endpoint;
  version: string;
  deprecated: Version["deprecated"];
  /** `createKey` */
  operationId: string;
  /** `/api/v1/key/{key_id}` */
  path: string;
  /** The module that exports the endpoint as `operationId`, from the top of the project: `lambdas/v1/create-key.ts`. */
  file: string;
  /** `v1-create-key`: the construct id of its function. */
  functionName: string;
}

/** Every operation of an API, version by version, in the order of their names. */
export const operationsOf = (api: Api): Operation[] =>
  Object.entries(api).flatMap(([version, { folder, endpoints, deprecated }]) =>
    Object.entries(endpoints).map(([operationId, endpoint]) => ({
      endpoint,
      version,
      deprecated,
      operationId,
      path: versionPath(version, endpoint.path),
      file: `${folder}/${kebabCase(operationId)}.ts`,
      functionName: `${version}-${kebabCase(operationId)}`,
    })),
  );

/** The methods of each path. */
export type PathMethods = Readonly<Record<string, readonly string[]>>;

export const pathMethodsOf = (api: Api): PathMethods => {
  const methods: Record<string, string[]> = {};
  for (const { path, endpoint } of operationsOf(api)) methods[path] = [...(methods[path] ?? []), endpoint.method];
  return methods;
};

/** The headers that announce the end of a version: RFC 9745 has a structured-field date, RFC 8594 an HTTP date. */
export const deprecationHeaders = (deprecated: Version["deprecated"]): Record<string, string> =>
  deprecated
    ? {
        Deprecation: `@${Math.floor(deprecated.since.getTime() / 1000)}`,
        Sunset: deprecated.sunset.toUTCString(),
      }
    : {};

const kebabCase = (camelCase: string): string => camelCase.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
