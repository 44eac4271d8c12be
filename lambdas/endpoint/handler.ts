import { readBody } from "#body";
import { changesOn } from "#changes";
import { endpoint as declared } from "#endpoint";
import { responseRenderer } from "#renderer";
import { headers, realm, version } from "#settings";
import * as tables from "#tables";
import { transactionOn } from "#transaction";
import { withValues } from "#values";
import { wordIssue } from "#words";
import { endpointUses } from "../domain/function-uses.ts";
import { provingRights } from "../domain/prove-rights.ts";
import { serveEndpoint } from "./serve-endpoint.ts";

const valued = withValues?.(declared, wordIssue);
const endpoint = { ...declared, ...(valued && { handler: valued.handler }) };

export const handler = provingRights(
  serveEndpoint(endpoint, {
    headers,
    realm,
    tables,
    readBody,
    additions: { transactionOn, changesOn },
    words: wordIssue,
    render: responseRenderer(endpoint, version),
  }),
  endpointUses(endpoint),
  { ...endpoint.application?.tables, ...tables },
  valued?.failures,
);
