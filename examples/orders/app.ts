import { serviceApp } from "integration-api/infra";
import { shop } from "./service.ts";

await serviceApp(shop);
