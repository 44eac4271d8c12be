import { endpoint } from "#endpoint";
import { headers, version } from "#settings";
import * as tables from "#tables";
import { provingRights } from "../domain/prove-rights.ts";
import { endpointUses } from "../domain/uses.ts";
import { serveEndpoint } from "./serve-endpoint.ts";

export const handler = provingRights(serveEndpoint(endpoint, { version, headers, tables }), endpointUses(endpoint), {
  ...endpoint.own?.tables,
  ...tables,
});
