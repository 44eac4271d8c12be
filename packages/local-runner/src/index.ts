export { type LocalService, type LocalServiceOptions, startLocalService } from "./service.ts";
