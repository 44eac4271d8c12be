export type { components, paths } from "./api-types.ts";
export type { Call, CallOptions } from "./calls.ts";
export type { Confirmation, ConfirmationOptions } from "./confirmation.ts";
export { type EnrolOptions, enrol } from "./enrol.ts";
export { ApiFailure, type ErrorCode, type FieldMessages, PreconditionFailed, ValidationFailed } from "./errors.ts";
export type { OnTokenExpiring, TokenExpiring } from "./expiry.ts";
export {
  createIntegrationClient,
  type IntegrationClient,
  type IntegrationClientOptions,
} from "./integration-client.ts";
export type { IssuedToken } from "./issued-token.ts";
export type { Retry, RetryOptions } from "./retry.ts";
export type { MoveOptions, RevokeOptions, RotateOptions } from "./token-calls.ts";
