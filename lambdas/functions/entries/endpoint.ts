import { endpoint } from "#endpoint";
import { headers, version } from "#settings";
import * as tables from "../../resources/tables.ts";
import { serveEndpoint } from "../serve-endpoint.ts";

export const handler = serveEndpoint(endpoint, { version, headers, tables });
