// The package's main entry point: what an application needs to declare its service.

export { type ApplicationDeclarations, endpointsWith } from "./declaration/endpoint.ts";
export { jobsWith } from "./declaration/job.ts";
export { resource, service } from "./declaration/service.ts";
export type { Caller } from "./domain/tokens/authenticate.ts";
export { changesOf, changesQuery } from "./dynamodb/changes-query.ts";
export { pageQuery } from "./dynamodb/page-query.ts";
export { recordTable } from "./dynamodb/record-table.ts";
export { type Table, table } from "./dynamodb/table.ts";
export { versionOf } from "./dynamodb/versions.ts";
export { newUlid } from "./shared/ulid.ts";
export * as fields from "./shared/validation/application-fields.ts";
export { type Patch, patchOf } from "./shared/validation/merge-patch.ts";
export { keys } from "./v1/keys.ts";
export { tokens } from "./v1/tokens.ts";
