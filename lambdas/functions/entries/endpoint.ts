import * as declared from "#endpoint";
import { headers, version } from "#settings";
import * as tables from "../../resources/tables.ts";
import { serveEndpoint } from "../serve-endpoint.ts";

// The module of an endpoint exports nothing else, under a name of its own.
export const [handler] = Object.values(declared).map((endpoint) =>
  serveEndpoint(endpoint, { version, headers, tables }),
);
