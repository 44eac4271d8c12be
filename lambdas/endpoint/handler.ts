import { endpoint } from "#endpoint";
import { headers, version } from "#settings";
import * as tables from "#tables";
import { endpointUses } from "../domain/function-uses.ts";
import { provingRights } from "../domain/prove-rights.ts";
import { serveEndpoint } from "./serve-endpoint.ts";

export const handler = provingRights(serveEndpoint(endpoint, { version, headers, tables }), endpointUses(endpoint), {
  ...endpoint.application?.tables,
  ...tables,
});
