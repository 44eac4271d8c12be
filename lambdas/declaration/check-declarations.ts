import * as z from "zod/mini";
import { tables as builtInTables } from "../domain/built-in-stores.ts";
import { clientLength } from "../domain/tokens/token-limits.ts";
import { keyNamesOf } from "../dynamodb/table.ts";
import { rightsOn, type Tables } from "../dynamodb/uses.ts";
import { errorGuide } from "../shared/errors/catalogue.ts";
import { definitionOf } from "../shared/validation/definition.ts";
import { id } from "../shared/validation/fields.ts";
import { wordIssue } from "../shared/validation/issue-words.ts";
import { validate } from "../shared/validation/validate.ts";
import { checkTable } from "./check-table.ts";
import { checkValues } from "./check-values.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Errors } from "./errors.ts";
import { exampleRecord } from "./example-record.ts";
import { exampleEventOf, type Job } from "./job.ts";
import { requestExampleOf } from "./request-example.ts";

/** Mistakes in the declarations of a service, one in each line. The message is for its author and needs no stack trace. */
export class DeclarationError extends Error {
  override name = "DeclarationError";

  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.stack = this.message;
  }
}

/** The part of a resource's declaration that is checked here. */
interface Resource {
  name: string;
  endpoints: Readonly<Record<string, Endpoint>>;
  jobs?: Readonly<Record<string, Job>>;
  tables?: Tables;
  errors?: Errors;
}

interface Declared {
  versions: Readonly<Record<string, readonly Resource[]>>;
  exampleClient?: string;
}

/**
 * Checks what the types of declarations cannot express.
 *
 * @param slug the name of the service in lower case, with which the names of its parameters begin
 * @throws {DeclarationError} naming each mistake.
 */
export const checkDeclarations = ({ versions, exampleClient }: Declared, slug: string): void => {
  const resources = [...new Set(Object.values(versions).flat())];
  const allTables: Tables = Object.assign({}, builtInTables, ...resources.map(({ tables }) => tables));
  const mistakes = [
    ...checkClient("The exampleClient of the service", exampleClient),
    ...Object.entries(versions).flatMap(([version, declared]) => checkRoutes(version, declared)),
    ...resources.flatMap((resource) => [
      ...checkNames(resource),
      ...Object.entries(resource.endpoints).flatMap(([name, endpoint]) =>
        checkEndpoint(`${name} of ${resource.name}`, endpoint, allTables),
      ),
      ...Object.entries(resource.jobs ?? {}).flatMap(([name, job]) =>
        checkJob(`${name} of ${resource.name}`, job, allTables),
      ),
    ]),
    ...resources.flatMap(({ tables = {} }) =>
      Object.entries(tables).flatMap(([store, table]) => checkTable(store, table)),
    ),
    ...checkValues(
      resources.flatMap(({ endpoints, jobs = {} }) => [...Object.values(endpoints), ...Object.values(jobs)]),
      slug,
    ),
  ];
  if (mistakes.length > 0) throw new DeclarationError([...new Set(mistakes)]);
};

const isBuiltIn = (store: string, table: unknown): boolean => table === builtInTable(store);

const builtInTable = (store: string): unknown => Object.entries(builtInTables).find(([name]) => name === store)?.[1];

const checkRoutes = (version: string, resources: readonly Resource[]): string[] => {
  const routes = resources.flatMap(({ name: resource, endpoints }) =>
    Object.entries(endpoints).map(([name, endpoint]) => ({ ...endpoint, title: `${name} of ${resource}` })),
  );
  const names = resources.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) < index);
  return [
    ...twice.map((name) => `Two resources of ${version} have the name ${name}. Rename one.`),
    ...routes.flatMap((route) => routes.flatMap((other) => hiddenBy(route, other))),
    ...Object.values(Object.groupBy(routes, ({ path }) => path.replace(/\{\w+\}/g, "{}"))).flatMap((same = []) => {
      const [first, ...others] = same;
      const renamed = others.find(({ path }) => path !== first?.path);
      const repeated = Object.values(Object.groupBy(same, ({ method }) => method)).filter((all = []) => all.length > 1);
      return [
        ...(first && renamed
          ? [
              `${first.title} (${first.path}) and ${renamed.title} (${renamed.path}) name the parameters of one path differently. Name them alike.`,
            ]
          : []),
        ...repeated.map((all = []) => {
          const titles = all.map(({ title }) => title).join(" and ");
          return `${titles} have the same route, ${all[0]?.method} /api/${version}${all[0]?.path}. Change one of them.`;
        }),
      ];
    }),
  ];
};

type Route = Pick<Endpoint, "method" | "path" | "parameters"> & { title: string };

/** Returns the values of parameters that no request can name, because API Gateway prefers the other path. */
const hiddenBy = (route: Route, other: Route): string[] => {
  const [literals, segments] = [route.path.split("/"), other.path.split("/")];
  if (route.method !== other.method || literals.length !== segments.length) return [];
  const different = segments.flatMap((segment, place) => {
    const literal = literals[place] ?? "";
    const isSame = segment === literal || (segment.startsWith("{") && literal.startsWith("{"));
    return isSame ? [] : [{ literal, name: /^\{(\w+)\}$/.exec(segment)?.[1] }];
  });
  const fields = other.parameters?._zod.def.shape ?? {};
  const isHidden = ({ literal, name = "" }: { literal: string; name?: string | undefined }) =>
    !literal.includes("{") && fields[name] !== undefined && z.safeParse(fields[name], literal).success;
  if (different.length === 0 || !different.every(isHidden)) return [];
  const values = different.map(({ literal, name }) => `the ${name} \`${literal}\``).join(" and ");
  return [
    `${route.title} (${route.path}) hides ${values} from ${other.title} (${other.path}). Let the schema reject this value, or use another path.`,
  ];
};

const checkNames = ({ name, tables = {}, errors = {}, endpoints }: Resource): string[] => {
  const declared = [errors, ...Object.values(endpoints).map((one) => one.application?.errors ?? {})];
  const codes = declared.flatMap(Object.keys);
  return [
    ...(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)
      ? []
      : [`The resource ${name} needs another name: lower-case letters, digits and hyphens, beginning with a letter.`]),
    ...Object.entries(tables).flatMap(([store, table]) => {
      if (!/^[a-z][a-z0-9]*$/.test(store)) {
        return [
          `The store ${store} of ${name} needs another name: lower-case letters and digits, beginning with a letter.`,
        ];
      }
      return store in builtInTables && !isBuiltIn(store, table)
        ? [`The store ${store} of ${name} has the name of a built-in store. Rename it.`]
        : [];
    }),
    ...codes
      .filter((code) => Object.hasOwn(errorGuide, code))
      .map((code) => `The error ${code} of ${name} has the code of a built-in error. Use another code.`),
    ...declared.flatMap(Object.entries).flatMap(([code, error]) => checkWaiting(`The error ${code} of ${name}`, error)),
  ];
};

/** Checks that an error after which clients wait says how long. When a handler throws the error, it may name another time. */
const checkWaiting = (title: string, { status, headers = {} }: Errors[string]): string[] =>
  (status !== 429 && status !== 503) || Object.keys(headers).some((name) => name.toLowerCase() === "retry-after")
    ? []
    : [`${title} has the status ${status}, after which clients wait. Add headers: { "Retry-After": "1" }.`];

const checkEndpoint = (title: string, endpoint: Endpoint, tables: Tables): string[] => {
  const inPath = new Set([...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name));
  const inSchema = new Set(Object.keys(endpoint.parameters?._zod.def.shape ?? {}));
  if (inPath.symmetricDifference(inSchema).size === 0)
    return [
      ...checkUses(title, endpoint, tables),
      ...checkTexts(title, endpoint),
      ...checkClient(`The client in the example of ${title}`, endpoint.example?.client),
      ...checkExample(title, endpoint, tables),
    ];
  const listed = (names: Set<string>) => [...names].join(", ") || "none";
  return [
    `The path of ${title} is ${endpoint.path}, but its \`parameters\` have other names: ${listed(inSchema)} instead of ${listed(inPath)}.`,
  ];
};

const checkJob = (title: string, job: Job, tables: Tables): string[] => {
  const { timeoutSeconds = 10 } = job;
  const result = validate(job.event, exampleEventOf(job), { words: wordIssue, whole: "event" });
  return [
    ...checkUses(title, job, tables),
    ...(Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= 900
      ? []
      : [`The timeoutSeconds of ${title} must be a whole number from 1 to 900.`]),
    ...(result.valid
      ? []
      : [
          `The example of ${title} is invalid: ${Object.values(result.fields).flat().join(" ")} Add fields.example(…) to the schema, or an \`example\` to the job.`,
        ]),
  ];
};

/** Checks that tokens can have a client with this name. */
const checkClient = (title: string, client: string | undefined): string[] => {
  const { error } = z.safeParse(z.optional(id(clientLength)), client);
  return error?.issues.map(({ message }) => `${title} ${message}`) ?? [];
};

/** Checks that the stores exist, and have the operations that an endpoint or a job uses. */
const checkUses = (title: string, { uses }: Pick<Endpoint, "uses">, tables: Tables): string[] =>
  Object.entries(uses).flatMap(([store, operations = []]) => {
    const { rights } = tables[store] ?? {};
    if (!rights) return [`${title} uses the store ${store}, which no resource declares. Add it to \`tables\`.`];
    return operations
      .filter((operation) => !(operation in rights))
      .map(
        (operation) =>
          `${title} uses ${operation} of the store ${store}, which does not have it. Declare it in the table, without \`retired\`.`,
      );
  });

/** Checks that the schemas of what arrives as text accept text. */
const checkTexts = (title: string, { parameters, query, form }: Endpoint): string[] =>
  Object.entries({ parameters, query, form }).flatMap(([part, schema]) =>
    Object.entries(schema?._zod.def.shape ?? {})
      .filter(([, field]) => !acceptsText(field))
      .map(
        ([name]) =>
          `The field ${name} in the \`${part}\` of ${title} can never be valid, because it arrives as text. Use text or an enum, or fields.sentWholeNumber for a number.`,
      ),
  );

const acceptsText = (schema: z.core.$ZodType): boolean => {
  const def = definitionOf(schema);
  if ("innerType" in def) return acceptsText(def.innerType as z.core.$ZodType);
  const converts = "coerce" in def && def.coerce === true;
  return converts || !["array", "boolean", "date", "null", "number", "object"].includes(def.type);
};

/** Checks that a request for a stored record names the record that the tables' examples have. */
const checkExample = (title: string, endpoint: Endpoint, tables: Tables): string[] => {
  const { parameters } = requestExampleOf(endpoint);
  return Object.entries(endpoint.uses).flatMap(([store, operations = []]) => {
    const table = tables[store];
    const creates = ["create", "put"].some((operation) => operations.includes(operation));
    if (!table || creates || !rightsOn(table, operations).includes("GetItem")) return [];
    const record: Readonly<Record<string, unknown>> = { ...exampleRecord(table) };
    return keyNamesOf(table)
      .filter((name) => parameters[name] !== undefined && parameters[name] !== String(record[name]))
      .map(
        (name) =>
          `The example of ${title} has the ${name} ${parameters[name]}, but the example record of ${store} has ${record[name]}. Use the same.`,
      );
  });
};
