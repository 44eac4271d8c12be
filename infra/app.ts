import { api } from "../lambdas/api.ts";
import { serviceApp } from "./service-app.ts";

await serviceApp(api);
