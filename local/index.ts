// How programs run a service on this machine: an entry point of the package.

export { type LocalService, startLocalService } from "cdk-local-runner";
export { synthesise } from "./synthesise.ts";
