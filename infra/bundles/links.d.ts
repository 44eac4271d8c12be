// Modules that the bundler replaces for each function: see infra/bundles/bundle.ts.

declare module "#endpoint" {
  /** The endpoint that the function serves. */
  export const endpoint: import("../../lambdas/declaration/endpoint.ts").Endpoint;
}

declare module "#job" {
  /** The job that the function runs. */
  export const job: import("../../lambdas/declaration/job.ts").Job;
}

declare module "#body" {
  /** The reader of the body that the endpoint takes. */
  export { readBody } from "../../lambdas/middlewares/read-json.ts";
}

declare module "#words" {
  /** The words for what can be wrong with the endpoint's input. */
  export { wordIssue } from "../../lambdas/shared/validation/issue-words.ts";
}

declare module "#transaction" {
  /** Adds `transaction` to the stores; `undefined` if the endpoint or the job does not declare it. */
  export const transactionOn: import("../../lambdas/domain/create-stores.ts").Additions["transactionOn"];
}

declare module "#changes" {
  /** Adds `changes` to the stores; `undefined` if the endpoint or the job does not use it. */
  export const changesOn: import("../../lambdas/domain/create-stores.ts").Additions["changesOn"];
}

declare module "#values" {
  /** Gives the handler its settings and secrets; `undefined` if it declares none. */
  export const withValues: typeof import("../../lambdas/endpoint/read-settings.ts").withValues | undefined;
}

declare module "#renderer" {
  /** The smallest renderer that has everything that the endpoint's responses need. */
  export const responseRenderer: typeof import("../../lambdas/endpoint/render-response.ts").responseRenderer;
}

declare module "#tables" {
  /** The tables of the built-in stores that the function uses. */
  export * from "../../lambdas/domain/tables.ts";
}

declare module "#settings" {
  /** For endpoints: the name of the service, the version, and the headers that the version adds to each response. */
  export const realm: string;
  export const version: string;
  export const headers: Record<string, string>;
  /** For the fallback: the methods of each path, and the headers of each version. */
  export const pathMethods: import("../../lambdas/declaration/operations.ts").PathMethods;
  export const versionHeaders: Record<string, Record<string, string>>;
  /** For the functions for admins and notices: the stores that the service has. */
  export const stores: readonly string[];
  /** For the functions for admins and the site: the application records that admins see. */
  export const records: import("../../lambdas/declaration/shown-records.ts").ShownRecords;
  /** For the site: the paths of the web interface's pages. */
  export const pages: readonly string[];
  /** For the version check: the checks of each function. */
  export const checks: Record<string, import("../../lambdas/version-check/serve-version-check.ts").VersionCheck[]>;
}
