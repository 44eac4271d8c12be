import { tables as builtInTables } from "../domain/built-in-stores.ts";
import type { Tables } from "../dynamodb/uses.ts";
import {
  type ErrorDeclaration,
  type ErrorGuide,
  errorCatalogue,
  errorGuide,
  otherErrors,
} from "../shared/errors/catalogue.ts";
import { checkDeclarations } from "./check-declarations.ts";
import type { Endpoint, ValueSchemas } from "./endpoint.ts";
import type { Errors } from "./errors.ts";
import type { Job } from "./job.ts";
import type { OnlyMembers } from "./response-mistakes.ts";
import { type ShownColumns, type ShownRecords, shownTable, withShownRight } from "./shown-records.ts";

/** Endpoints that belong together, with their tables and errors. */
export interface Resource {
  /** In lower case. It becomes part of the names of its stack and its documentation pages. */
  name: string;
  /** The absolute path of the folder with the endpoints' files. `createShipment` is in `create-shipment.ts`. */
  folder: string;
  /** Its endpoints by name. The name is the `operationId` in the API description. */
  endpoints: Readonly<Record<string, Endpoint>>;
  /** Its jobs by name. `printLabel` is in `print-label.ts` of the same folder. */
  jobs?: Readonly<Record<string, Job>>;
  /** Its tables by store name. */
  tables?: Tables;
  /** Its errors by code. */
  errors?: Errors;
  /** The records and columns that admins see. The web interface has a page for each store. */
  records?: ShownColumns;
  /**
   * The version whose endpoints are in the API's own stack instead of a nested one. They must stay there, because a route cannot move
   * to another stack without an outage.
   */
  unnestedIn?: `v${number}`;
}

/** The end of a version. Every response of that version announces it in the `Deprecation` and `Sunset` headers. */
export interface End {
  since: Date;
  sunset: Date;
}

/** The versions of an API by name, each with its resources. */
export type Versions = Readonly<Record<`v${number}`, readonly Resource[]>>;

interface ServiceDeclaration<V extends Versions> {
  /** The prefix of its stacks' names, such as `Shop-prod`: 2 to 30 letters and digits, starting with an upper-case letter. */
  name: string;
  /** The display name of the service. */
  title: string;
  /** The absolute path of a folder with additional chapters for the guide: Markdown files, ordered by name. */
  guide?: string;
  /** The versions of its API (`/api/<version>/…`), each with its resources. */
  versions: V;
  /** The client that the tokens of tests and of the first local start belong to. Default: none. */
  exampleClient?: string;
  /** The versions that are being retired. */
  deprecated?: Readonly<Partial<Record<`v${number}`, End>>>;
}

/**
 * A service. Everything that is deployed, run locally and documented is derived from it. Its type knows the names of all endpoints
 * and tables.
 */
export interface Service<V extends Versions = Versions> extends ServiceDeclaration<V> {
  /** All its tables by store name, including those of tokens and admins. */
  tables: Tables;
  /** The records that admins see. */
  records: ShownRecords;
  /** The settings and secrets of its endpoints and jobs, by name. */
  settings: ValueSchemas;
  secrets: ValueSchemas;
  /** Every error that it returns, by code, with its documentation. */
  errors: DocumentedErrors;
}

/** Errors by code, with their documentation. */
export type DocumentedErrors = Readonly<Record<string, ErrorDeclaration & ErrorGuide>>;

/** The names of a service: `name` for AWS, `title` for people. */
export type ServiceNames = Pick<Service, "name" | "title">;

/** Returns the service's name for places that only allow lower-case letters, digits and hyphens: `integration-api`. */
export const slugOf = ({ name }: Pick<Service, "name">): string => name.replace(/\B[A-Z]/g, "-$&").toLowerCase();

/** Declares a resource. It only checks types. */
export const resource = <R extends Resource, T extends Tables>(
  declaration: R &
    OnlyMembers<R, Resource, "A resource"> & {
      tables?: T;
      records?: ShownColumns<T> & { [Store in Exclude<keyof R["records"], keyof T>]: never };
    },
): R => declaration;

/**
 * Declares a service that consists of resources.
 *
 * @throws {Error} if a declaration has a mistake that its types cannot express, if the name is invalid, or if two resources declare different tables, errors
 * or records under the same name.
 */
export const service = <const V extends Versions>(declaration: ServiceDeclaration<V>): Service<V> => {
  if (!/^[A-Z][A-Za-z0-9]{1,29}$/.test(declaration.name)) {
    throw new Error(`The name of the service must be 2 to 30 letters and digits, and begin with an upper-case letter.`);
  }
  checkDeclarations(declaration, slugOf(declaration));
  const { limits, notices, tokens, usage } = builtInTables;
  const resources = [...new Set(Object.values(declaration.versions).flat())];
  const tables = union([{ limits, notices, tokens, usage }, ...resources.map((one) => one.tables ?? {})]);
  const records = Object.fromEntries(
    Object.entries(union(resources.map((one) => one.records ?? {}))).map(([store, columns = []]) => [
      store,
      shownTable(store, tables[store], columns),
    ]),
  );
  const own = union(resources.map((one) => one.errors ?? {}));
  const endpoints = resources.flatMap((one) => Object.values(one.endpoints));
  const workers = [...endpoints, ...resources.flatMap((one) => Object.values(one.jobs ?? {}))];
  const declared = new Set([...Object.keys(own), ...endpoints.flatMap(({ errors = [] }) => errors)]);
  return {
    ...declaration,
    tables: Object.fromEntries(
      Object.entries(tables)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([store, table]) => [store, withShownRight(table, records[store])]),
    ),
    records,
    settings: Object.assign({}, ...workers.map(({ settings }) => settings)),
    secrets: Object.assign({}, ...workers.map(({ secrets }) => secrets)),
    errors: Object.fromEntries(
      Object.entries(errorsWith(own)).filter(
        ([code, { scope }]) =>
          (scope !== "declared" || declared.has(code)) &&
          (scope !== "every-json" || endpoints.some(({ json }) => json)),
      ),
    ),
  };
};

/** Returns the built-in errors and those of the application. */
export const errorsWith = (own: Errors = {}): DocumentedErrors => ({
  ...Object.fromEntries(
    Object.entries({ ...errorCatalogue, ...otherErrors }).map(([code, error]) => [
      code,
      { ...error, ...errorGuide[code as keyof typeof errorGuide] },
    ]),
  ),
  ...Object.fromEntries(Object.entries(own).map(([code, error]) => [code, { ...error, scope: "declared" as const }])),
});

const union = <Value>(records: readonly Readonly<Record<string, Value>>[]): Record<string, Value> => {
  const all: Record<string, Value> = {};
  for (const [name, value] of records.flatMap((record) => Object.entries(record))) {
    if (name in all && all[name] !== value) throw new Error(`Two resources declare ${name} differently.`);
    all[name] = value;
  }
  return all;
};
