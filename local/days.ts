import { describeSent } from "cdk-local-runner";
import * as z from "zod/mini";
import { CommandError, endings } from "./admin/command.ts";
import { postLocally, somethingElse } from "./admin/invoke-admin.ts";
import { helpIfAsked } from "./help-if-asked.ts";
import { portProblem, readPort } from "./port.ts";

// fetch itself gives up after 300 seconds.
const patienceSeconds = 290;
const maximumDays = 3660;

const usage =
  "Usage: npm run days -- 31\nLets this many days pass, one after the other, in the service that npm start runs.";

const runSchema = z.object({
  function_name: z.string(),
  due: z.string(),
  error: z.optional(z.string()),
});
const passedSchema = z.object({
  now: z.string(),
  runs: z.array(runSchema),
  sent: z.array(z.custom<Parameters<typeof describeSent>[0]>(z.core.util.isObject)),
});

/** Lets one day pass, and prints what ran and what it sent. Returns the resulting time. */
const passDay = async (port: number): Promise<{ now: string; sent: number }> => {
  const options = { path: "/clock", port, waitSeconds: patienceSeconds };
  const { response, text } = await postLocally('{"days":1}', options);
  const passed = response.ok ? readPassed(text) : undefined;
  if (passed === undefined) throw somethingElse(port);
  for (const { due, function_name, error } of passed.runs) {
    const time = `${due.slice(0, 10)} ${due.slice(11, 16)}`;
    const outcome = error === undefined ? "has run" : `has failed: ${error}`;
    write(`${time}  ${function_name} ${outcome}.\n`);
  }
  for (const sent of passed.sent) write(describeSent(sent));
  return { now: passed.now, sent: passed.sent.length };
};

const readPassed = (text: string) => {
  try {
    return passedSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

const write = (text: string): void => {
  process.stdout.write(text);
};

const passDays = async ([count = "", ...others]: string[]): Promise<void> => {
  const days = Number(count);
  if (!/^\d+$/.test(count) || others.length > 0 || days < 1 || days > maximumDays) {
    throw new CommandError("wrongUsage", usage);
  }
  const port = readPort(process.env);
  if (port === undefined) throw new CommandError("wrongUsage", `${portProblem(process.env)}.`);
  let now = "";
  let sent = 0;
  for (let day = 0; day < days; day += 1) {
    const passed = await passDay(port + 1);
    now = passed.now;
    sent += passed.sent;
  }
  write(`The functions' clock now reads ${now}. Sent in these ${days} days: ${sent}. The clock does not go back.\n`);
};

helpIfAsked(usage);
try {
  await passDays(process.argv.slice(2));
} catch (error) {
  const isExpected = error instanceof CommandError;
  process.stderr.write(`${isExpected ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = isExpected ? error.exitCode : endings.unclear.exitCode;
}
