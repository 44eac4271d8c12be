import type { Api } from "./declaration/operations.ts";
import * as v1 from "./v1/endpoints.ts";

/** The API: its versions, and with them everything that is deployed, run locally and documented. */
export const api: Api = {
  v1: { folder: "lambdas/v1", endpoints: v1 },
};
