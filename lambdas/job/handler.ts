import { changesOn } from "#changes";
import { job } from "#job";
import * as tables from "#tables";
import { transactionOn } from "#transaction";
import { withValues } from "#values";
import { provingRights } from "../domain/prove-rights.ts";
import { wordIssue } from "../shared/validation/issue-words.ts";
import { serveJob } from "./serve-job.ts";

const valued = withValues?.(job, wordIssue);
const allTables = { ...job.application.tables, ...tables };

export const handler = provingRights(
  serveJob({ ...job, ...(valued && { handler: valued.handler }) }, { tables: allTables, transactionOn, changesOn }),
  job.uses,
  allTables,
  valued?.failures,
);
