// An entry point of the package, with which programs run a service on this machine.

export { type LocalService, startLocalService } from "cdk-local-runner";
export { synthesise } from "./synthesise.ts";
