import { serviceApp } from "integration-api/infra";
import { freight } from "./service.ts";

await serviceApp(freight);
