import { userInfo } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { readBundleSources } from "../infra/bundles/assembly-files.ts";
import { shownTable } from "../lambdas/admin/records/records-contract.ts";
import { serviceActions } from "../lambdas/admin/service-actions.ts";
import type { Actions } from "../lambdas/declaration/action.ts";
import { storeNames } from "../lambdas/domain/built-in-stores.ts";
import { CommandError, endings } from "./admin/command.ts";
import { actionHelp, overview, usage } from "./admin/help.ts";
import { invokeAdmin } from "./admin/invoke-admin.ts";
import { escapeInvisible, formatResponse } from "./admin/printable.ts";
import { readCommand } from "./admin/read-command.ts";
import { portProblem, readPort } from "./port.ts";

/** Returns the user's name on this machine, or `undefined` if the user has none, as in some containers. */
const userName = (): string | undefined => {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
};

/** Returns the actions of the service in this folder, or all actions if the service has not been started yet. */
const ownActions = async (): Promise<Actions> => {
  const functions = await readBundleSources(join(process.env.DATA_DIR || ".local", "cdk.out")).catch(() => []);
  const settings = z.safeParse(adminSettings, functions.find(({ name }) => name === "admin")?.settings).data;
  return serviceActions(settings ?? { stores: storeNames, records: {} });
};

const adminSettings = z.object({ stores: z.array(z.string()), records: z.record(z.string(), shownTable) });

/** Carries out a command and returns the text to print. */
const perform = async (words: string[], all: Actions): Promise<string> => {
  const user = userName();
  const wanted = readCommand(words, all, user);
  if ("help" in wanted) {
    const action = all[wanted.help ?? ""];
    return wanted.help !== undefined && action ? actionHelp(wanted.help, action, user) : overview(all);
  }
  const port = readPort(process.env);
  if (port === undefined) throw new CommandError("wrongUsage", `${portProblem(process.env)}.`);
  return `${formatResponse(await invokeAdmin(wanted.event, { port: port + 1 }))}\n`;
};

const complain = (text: string): void => {
  process.stderr.write(`${escapeInvisible(text)}\n`);
};

// A reader such as `head` may stop reading early, which is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const words = process.argv.slice(2);
try {
  process.stdout.write(await perform(words, await ownActions()));
} catch (error) {
  const isExpected = error instanceof CommandError;
  complain(isExpected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
  if (words.length === 0) complain(`\n${usage}`);
  process.exitCode = isExpected ? error.exitCode : endings.unclear.exitCode;
}
