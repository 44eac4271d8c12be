export type { components, ErrorCode, paths } from "./api-types.ts";
export type { Call, CallOptions, ResponseHead } from "./calls.ts";
export { ApiFailure, CursorExpired, type FieldMessages, PreconditionFailed, ValidationFailed } from "./errors.ts";
export type { OnTokenExpiring, TokenExpiring } from "./expiry.ts";
export {
  createIntegrationClient,
  type EnrolOptions,
  enrol,
  type IntegrationClient,
  type IntegrationClientOptions,
} from "./integration-client.ts";
export type { Retry, RetryOptions } from "./retry.ts";
export type {
  Confirmation,
  IssuedToken,
  MoveOptions,
  RevokeOptions,
  RotateOptions,
} from "./token-calls.ts";
