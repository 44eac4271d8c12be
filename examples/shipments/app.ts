import { serviceApp } from "integration-api/infra";
import { api } from "./service.ts";

await serviceApp(api);
