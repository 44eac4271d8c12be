export type { components, paths } from "./api-types.ts";
export type { Call, CallOptions } from "./calls.ts";
export { ApiFailure, type ErrorCode, type FieldMessages, PreconditionFailed, ValidationFailed } from "./errors.ts";
export {
  createIntegrationClient,
  type IntegrationClient,
  type IntegrationClientOptions,
} from "./integration-client.ts";
export type { Retry, RetryOptions } from "./retry.ts";
