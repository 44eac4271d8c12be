export type { ApplicationChanges, Changes } from "./assembly/changes.ts";
export type { UsedRight } from "./database/access-control.ts";
export type { Middleware } from "./gateway/middleware.ts";
export { host } from "./http-listener.ts";
export type { Outcome } from "./lambda/outcome.ts";
export type { DatabaseAccess } from "./lambda/runtime-variables.ts";
export { codeOf, LocalError, messageOf } from "./local-error.ts";
export type { Login } from "./login/accounts.ts";
export { type LocalService, type LocalServiceOptions, startLocalService } from "./service.ts";
