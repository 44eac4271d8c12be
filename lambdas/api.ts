import { service } from "./declaration/service.ts";
import { keys } from "./v1/keys.ts";
import { tokens } from "./v1/tokens.ts";

/** This service. Deployment, local runs and documentation are all derived from it. */
export const api = service({ name: "IntegrationApi", title: "Integration API", versions: { v1: [tokens, keys] } });
