import { HttpMethod, HttpRouteKey } from "aws-cdk-lib/aws-apigatewayv2";
import type * as settings from "#settings";
import { actionSeconds } from "../lambdas/admin/contract.ts";
import { adminSettingsOf, serviceActions } from "../lambdas/admin/service-actions.ts";
import { adminRoute, usesOf } from "../lambdas/declaration/action.ts";
import type { Endpoint } from "../lambdas/declaration/endpoint.ts";
import type { Work } from "../lambdas/declaration/job.ts";
import {
  deprecationHeaders,
  jobsOf,
  operationsOf,
  type PathMethods,
  pathMethodsOf,
  versionHeadersOf,
} from "../lambdas/declaration/operations.ts";
import { hasMoreParts } from "../lambdas/declaration/responses.ts";
import type { Service } from "../lambdas/declaration/service.ts";
import { endpointUses, noticeSearch, usageCount } from "../lambdas/domain/function-uses.ts";
import { mergeUses, storesIn, type Uses, usesWithin } from "../lambdas/dynamodb/uses.ts";
import { assetsPath, documentationPath, pagePathsFor, settingsPath } from "../lambdas/shared/addresses.ts";
import type { VersionCheck } from "../lambdas/version-check/serve-version-check.ts";
import { needsWords } from "./bundles/needs-words.ts";
import type { FunctionKind } from "./stages/stage.ts";
import {
  adminChecks,
  adminHttpChecks,
  endpointChecks,
  fallbackChecks,
  rightsChecks,
  siteChecks,
  usageChecks,
} from "./version-checks.ts";

/** The code of a function: an entry module, and the modules that it is linked with. */
interface FunctionCode {
  /** The module that exports `handler`, relative to the project folder and without its suffix. */
  entry: string;
  /**
   * The endpoint that the entry imports from `#endpoint`, or the job from `#job`: an export, and its module's absolute path without
   * the suffix.
   */
  endpoint?: { name: string; file: string };
  /** Whether the entry's `#body` reads JSON instead of a form. */
  takesJson?: true;
  /** Whether the entry's `#words` have words for all checks of zod. */
  needsWords?: true;
  /** Whether the entry's `#transaction` makes several changes together. */
  hasTransaction?: true;
  /** Whether the entry's `#values` reads settings, or secrets too. */
  reads?: "settings" | "secrets";
  /** Whether the stores need `changes`. */
  hasChanges?: true;
  /** Whether the entry's `#renderer` also renders headers, redirects and bodies that are not JSON. */
  rendersMore?: true;
  /** The values that the entry imports from `#settings`, as JSON. */
  settings?: Partial<typeof settings>;
  /** The stores whose tables the entry imports from `#tables`. Default: all stores. */
  stores?: string[];
}

/** A Lambda function of the service, derived from the declarations. */
export interface FunctionDeclaration {
  /** Also the id of the construct, and the function's name in the local run. */
  name: string;
  code: FunctionCode;
  kind: FunctionKind;
  /** The nested stack that contains the function, such as `v1-shipments`, or `data`. Default: the API's own stack. */
  stack?: string;
  description: string;
  /** The store operations that the function performs. They determine its environment and its IAM rights. */
  uses: Uses;
  /** The settings and secrets that the function of an endpoint or a job reads. */
  values?: Pick<Endpoint, "settings" | "secrets">;
  /** The timeout of the function. Default: 10 s. */
  timeoutSeconds?: number;
  /** Whether the function may send notices. */
  sendsNotices?: true;
  /** Whether the function must know the address of the service. Functions that send notices always do. */
  needsBaseUrl?: true;
  /** The routes that the function serves. */
  routeKeys: HttpRouteKey[];
  /** The requests of the version check. */
  checks: VersionCheck[];
  /** Writes additional files that the function needs into the folder of its bundle. */
  writeFiles?: (bundleFolder: string) => Promise<void>;
}

/** A function whose code has been bundled. */
export interface BundledFunction extends FunctionDeclaration {
  /** The folder that is deployed. */
  bundleFolder: string;
}

/** Returns the code of the function in this folder. */
const codeOf = (folder: string, code: Omit<FunctionCode, "entry"> = {}): FunctionCode => ({
  entry: `lambdas/${folder}/handler`,
  ...code,
});

const siteMethods = [HttpMethod.GET, HttpMethod.HEAD];

/**
 * Returns the functions of a service: one for each endpoint and each job, and one of each other kind. Each stack has its own
 * version check.
 *
 * @throws {Error} if two functions have the same name.
 */
export const functionsOf = (service: Service): FunctionDeclaration[] => {
  const called = calledFunctions(service, peopleFacing(service)).map((one) => ({
    ...one,
    checks: [...one.checks, ...rightsChecks(one.uses)],
  }));
  const checks = Map.groupBy(called, ({ stack }) => stack)
    .values()
    .map(versionCheck);
  const functions = [...called, ...checks, optionsGuard];
  const names = functions.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`Two functions have the name ${twice}: rename an endpoint or a job.`);
  return functions;
};

/** Returns the pages and actions that browsers and admins can use in a service. */
const peopleFacing = (service: Service) => {
  const { stores, records } = adminSettingsOf(service);
  const pages = pagePathsFor(stores, Object.keys(records));
  const actions = serviceActions({ stores, records });
  return {
    stores,
    pages,
    records,
    /** The paths that browsers load, except for the files of the documentation and of the web interface. */
    sitePaths: [...pages, settingsPath, documentationPath, `${documentationPath}.md`],
    adminSettings: { stores, records },
    admin: {
      uses: usesWithin(stores, usesOf(actions)),
      timeoutSeconds: actionSeconds,
    },
    adminRoutes: Object.values(actions).map(({ contract }) => adminRoute(contract)),
  };
};

/** Checks whether a function follows the changes of a table. */
const usesChanges = (uses: Uses): boolean => Object.values(uses).some((operations) => operations?.includes("changes"));

/** Returns what a transaction reads: each record that it changes. */
const readsOf = ({ uses, transaction = false }: Work): Uses =>
  Object.fromEntries(
    Object.entries(uses)
      .filter(([, operations = []]) => transaction && operations.some((name) => name === "create" || name === "put"))
      .map(([store]) => [store, ["get"]]),
  );

/** Returns the parts that only some endpoints and jobs need. */
const partsFor = ({ uses, transaction, settings, secrets }: Work): Omit<FunctionCode, "entry"> => ({
  ...(transaction && { hasTransaction: true }),
  ...(settings && { reads: "settings" }),
  ...(secrets && { reads: "secrets" }),
  ...(usesChanges(uses) && { hasChanges: true }),
});

/** Returns the functions that clients, admins and logs call, and the jobs. */
const calledFunctions = (
  service: Service,
  { stores, pages, sitePaths, admin, adminSettings, adminRoutes }: ReturnType<typeof peopleFacing>,
): FunctionDeclaration[] => [
  ...operationsOf(service).map((operation) => {
    const { endpoint, version, resource, deprecated, path, file, functionName, operationId } = operation;
    const uses = mergeUses(endpointUses(endpoint), readsOf(endpoint));
    const routeKey = HttpRouteKey.with(greedy(path), HttpMethod[endpoint.method]);
    return {
      name: functionName,
      kind: "endpoint" as const,
      ...(resource.unnestedIn !== version && { stack: `${version}-${resource.name}` }),
      description: `${endpoint.summary}: ${endpoint.method} ${path}`,
      code: codeOf("endpoint", {
        endpoint: { name: operationId, file },
        ...(endpoint.json && { takesJson: true as const }),
        ...partsFor(endpoint),
        ...(needsWords(endpoint) && { needsWords: true as const }),
        ...(Object.values(endpoint.responses).some(hasMoreParts) && { rendersMore: true as const }),
        settings: { realm: service.name, version, headers: deprecationHeaders(deprecated) },
        stores: storesIn(uses),
      }),
      uses,
      values: endpoint,
      // The JWT's audience must be this address.
      ...(endpoint.credential === "workload" && { needsBaseUrl: true as const }),
      routeKeys: [routeKey],
      checks: endpointChecks(operation, routeKey.key),
    };
  }),
  ...jobsOf(service).map(({ job, name, file, functionName }) => {
    const uses = mergeUses(job.uses, readsOf(job));
    return {
      name: functionName,
      kind: "job" as const,
      description: job.summary,
      code: codeOf("job", { endpoint: { name, file }, ...partsFor(job), stores: storesIn(uses) }),
      uses,
      values: job,
      ...(job.timeoutSeconds !== undefined && { timeoutSeconds: job.timeoutSeconds }),
      routeKeys: [],
      checks: [],
    };
  }),
  {
    name: "fallback",
    kind: "fallback",
    description: "Handles requests that match no route: 404, or 405 if the path supports other methods",
    code: codeOf("fallback", {
      settings: {
        pathMethods: {
          ...pathMethodsOf(service),
          ...Object.fromEntries(sitePaths.map((path) => [path, siteMethods])),
          ...methodsByPath(adminRoutes),
        },
        versionHeaders: versionHeadersOf(service),
      },
    }),
    uses: {},
    routeKeys: [HttpRouteKey.DEFAULT],
    checks: fallbackChecks,
  },
  {
    name: "site",
    kind: "site",
    description: "Serves what browsers load: the web interface and the documentation",
    code: codeOf("site", { settings: { pages } }),
    uses: {},
    routeKeys: [...sitePaths, `${documentationPath}/{file+}`, `${assetsPath}/{file+}`].flatMap((path) =>
      siteMethods.map((method) => HttpRouteKey.with(path, method)),
    ),
    checks: siteChecks(pages),
    // Loads esbuild, which release archives do not include.
    writeFiles: async (folder) => (await import("../web/site/write-site.ts")).writeSite(service, folder),
  },
  {
    ...admin,
    name: "admin",
    kind: "admin",
    description: "Runs the actions of admins by invocation",
    code: codeOf("admin", { settings: adminSettings }),
    routeKeys: [],
    checks: adminChecks,
  },
  {
    ...admin,
    name: "admin-http",
    kind: "admin-http",
    description: "Runs the actions of admins who are signed in to the web interface",
    code: { entry: "lambdas/admin/http-handler", settings: adminSettings },
    routeKeys: adminRoutes.map(({ method, path }) => HttpRouteKey.with(greedy(path), HttpMethod[method])),
    checks: adminHttpChecks,
  },
  {
    name: "usage",
    kind: "usage",
    description: "Counts the use of each token, from the log of requests, and sends notices of leaks",
    code: codeOf("usage"),
    uses: usageCount,
    // One delivery may contain the requests of many tokens.
    timeoutSeconds: 29,
    sendsNotices: true,
    routeKeys: [],
    checks: usageChecks(),
  },
  {
    name: "notices",
    kind: "notices",
    description: "Finds what people should know about tokens, and sends it",
    code: codeOf("notices", { settings: { stores } }),
    uses: usesWithin(stores, noticeSearch),
    // The function reads all tokens. The first run may find thousands of notices.
    timeoutSeconds: 300,
    sendsNotices: true,
    routeKeys: [],
    checks: [],
  },
];

/** The name of the function that guards options, followed by the name of its stack. */
export const guardName = "options-guard";
const dataStack = "data";

/** Called by CloudFormation before it changes anything in a stack. */
const optionsGuard: FunctionDeclaration = {
  name: guardName,
  kind: "check",
  stack: dataStack,
  description: "Rejects deployments that would drop options that somebody depends on",
  code: codeOf(guardName),
  uses: {},
  routeKeys: [],
  checks: [],
};

/** Declares the function that CloudFormation calls before traffic shifts to new versions of the other functions in its stack. */
const versionCheck = (called: FunctionDeclaration[]): FunctionDeclaration => ({
  name: called[0]?.stack === undefined ? "version-check" : `${called[0].stack}-version-check`,
  kind: "check",
  ...(called[0]?.stack !== undefined && { stack: called[0].stack }),
  description: "Checks that new versions of the functions work before they get any calls",
  code: codeOf("version-check", {
    settings: { checks: Object.fromEntries(called.map(({ name, checks }) => [name, checks])) },
  }),
  uses: {},
  // The function calls one version after another, may wait for an index, and Lambda may have no capacity for several minutes.
  timeoutSeconds: 900,
  routeKeys: [],
  checks: [],
});

const methodsByPath = (routes: readonly ReturnType<typeof adminRoute>[]): PathMethods =>
  Object.fromEntries(
    Map.groupBy(routes, ({ path }) => path)
      .entries()
      .map(([path, routes]) => [path, routes.map(({ method }) => method)]),
  );

/**
 * Makes the last parameter of a path greedy. API Gateway decodes a path before it matches a route, so this parameter must match
 * slashes too. See docs/decisions/requests.md.
 */
const greedy = (path: string): string => path.replace(/\{(\w+)\}$/, "{$1+}");
