import { versionPath } from "../shared/addresses.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Job } from "./job.ts";
import type { End, Resource, Service } from "./service.ts";

/** An endpoint of a version, with its path and the names derived from both. */
export interface Operation {
  endpoint: Endpoint;
  version: string;
  resource: Resource;
  deprecated: End | undefined;
  /** `createKey` */
  operationId: string;
  /** `/api/v1/key/{key_id}` */
  path: string;
  /** The module that exports the endpoint as `operationId`, without its suffix (`.ts` or `.js`): `<folder>/create-key`. */
  file: string;
  /** `v1-create-key`: the construct id of its function. */
  functionName: string;
}

/** Returns every operation of a service, by version and then by name. */
export const operationsOf = (service: Service): Operation[] =>
  Object.entries(service.versions).flatMap(([version, resources]) =>
    resources
      .flatMap((resource) =>
        Object.entries(resource.endpoints).map(([operationId, endpoint]) => ({
          endpoint,
          version,
          resource,
          deprecated: endOf(service, version),
          operationId,
          path: versionPath(version, endpoint.path),
          file: `${resource.folder}/${kebabCase(operationId)}`,
          functionName: `${version}-${kebabCase(operationId)}`,
        })),
      )
      .toSorted((one, other) => (one.operationId < other.operationId ? -1 : 1)),
  );

/** Returns when a version ends, if it does. */
const endOf = ({ deprecated = {} }: Service, version: string): End | undefined =>
  deprecated[version as keyof typeof deprecated];

/** A job of a service, with the names derived from it. */
export interface NamedJob {
  job: Job;
  /** `printLabel` */
  name: string;
  /** The module that exports the job, without its suffix. */
  file: string;
  /** `job-print-label`: the construct id of its function, and its name in the local run. */
  functionName: string;
  /** The resource that lists it. */
  resource: Resource;
}

/** Returns the jobs of a service. A resource that is in several versions has each of its jobs once. */
export const jobsOf = ({ versions }: Service): NamedJob[] => {
  const named = Object.values(versions)
    .flat()
    .flatMap((resource) =>
      Object.entries(resource.jobs ?? {}).map(([name, job]) => ({
        job,
        name,
        file: `${resource.folder}/${kebabCase(name)}`,
        functionName: `job-${kebabCase(name)}`,
        resource,
      })),
    );
  return [...new Map(named.toReversed().map((one) => [one.job, one])).values()].reverse();
};

/** The methods of each path. */
export type PathMethods = Readonly<Record<string, readonly string[]>>;

export const pathMethodsOf = (service: Service): PathMethods => {
  const methods: Record<string, string[]> = {};
  for (const { path, endpoint } of operationsOf(service)) methods[path] = [...(methods[path] ?? []), endpoint.method];
  return methods;
};

/** Returns the headers that each version adds to its responses. */
export const versionHeadersOf = (service: Service): Record<string, Record<string, string>> =>
  Object.fromEntries(
    Object.keys(service.versions).map((version) => [version, deprecationHeaders(endOf(service, version))]),
  );

/** Returns the headers that announce the end of a version. RFC 9745 uses a structured-field date, RFC 8594 an HTTP date. */
export const deprecationHeaders = (deprecated: End | undefined): Record<string, string> =>
  deprecated
    ? {
        Deprecation: `@${Math.floor(deprecated.since.getTime() / 1000)}`,
        Sunset: deprecated.sunset.toUTCString(),
      }
    : {};

const kebabCase = (camelCase: string): string => camelCase.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
