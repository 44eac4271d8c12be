import { endpoint } from "#endpoint";
import { headers, version } from "#settings";
import * as tables from "../../resources/tables.ts";
import { endpointUses } from "../../resources/uses.ts";
import { provingRights } from "../prove-rights.ts";
import { serveEndpoint } from "../serve-endpoint.ts";

export const handler = provingRights(serveEndpoint(endpoint, { version, headers, tables }), endpointUses(endpoint), {
  ...endpoint.own?.tables,
  ...tables,
});
