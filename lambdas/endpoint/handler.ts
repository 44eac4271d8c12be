import { readBody } from "#body";
import { endpoint } from "#endpoint";
import { responseRenderer } from "#renderer";
import { headers, version } from "#settings";
import * as tables from "#tables";
import { transactionOn } from "#transaction";
import { wordIssue } from "#words";
import { endpointUses } from "../domain/function-uses.ts";
import { provingRights } from "../domain/prove-rights.ts";
import { serveEndpoint } from "./serve-endpoint.ts";

export const handler = provingRights(
  serveEndpoint(endpoint, {
    headers,
    tables,
    readBody,
    transactionOn,
    words: wordIssue,
    render: responseRenderer(endpoint, version),
  }),
  endpointUses(endpoint),
  { ...endpoint.application?.tables, ...tables },
);
