import { join } from "node:path";
import { styleText } from "node:util";
import { LocalError, type LocalService } from "cdk-local-runner";
import * as z from "zod/mini";
import { documentationPath, tokenPaths } from "../lambdas/shared/addresses.ts";
import { isDependency } from "../lambdas/shared/project-folder.ts";
import { command } from "./admin/command.ts";

interface SummaryFacts {
  /** The token, if this start issued one. */
  token: string | undefined;
  /** Whom this token belongs to. */
  client: string | undefined;
  dataDirectory: string;
  port: number;
  seconds: number;
}

type Running = Pick<LocalService, "baseUrl" | "invokeUrl" | "dynamodbUrl" | "loginUrl" | "logins" | "ignored">;

/**
 * Returns the text that the user reads once everything runs: the addresses, the users who can sign in, and a sample call that works
 * as it is.
 */
export const summaryOf = (service: Running, facts: SummaryFacts): string => {
  const { baseUrl, invokeUrl, dynamodbUrl, loginUrl, logins, ignored } = service;
  const { dataDirectory, seconds } = facts;
  const rows = [
    ...(loginUrl === undefined ? [] : [["Web interface", `${baseUrl}/`]]),
    ["API", baseUrl],
    ["Documentation", baseUrl + documentationPath],
    ["Lambda Invoke API", invokeUrl],
    ["Sent notices", `${invokeUrl}/sent`],
    ["DynamoDB", dynamodbUrl],
    ...(loginUrl === undefined ? [] : [["Login", loginUrl]]),
    ["Data folder", dataDirectory],
    ...ignored.map((one, index) => [index === 0 ? "Left out" : "", one]),
  ];
  const table = rows.map(([name = "", value]) => `  ${dim(name.padEnd(18))} ${value}`);
  return [
    "",
    bold(`Ready in ${seconds.toFixed(1)} s.`),
    "",
    ...table,
    "",
    ...loginLines(logins, { baseUrl, dataDirectory }),
    ...tokenLines(facts, baseUrl),
    "",
  ].join("\n");
};

const loginLines = (
  logins: Running["logins"],
  { baseUrl, dataDirectory }: Pick<Running, "baseUrl"> & Pick<SummaryFacts, "dataDirectory">,
): string[] => {
  if (logins.length === 0) return [];
  const width = Math.max(...logins.map(({ username }) => username.length));
  const lines = logins.map(
    ({ username, password, groups }) =>
      `  ${username.padEnd(width)}  ${password}  ${dim(groups.length === 0 ? "in no group" : groups.join(", "))}`,
  );
  return [
    `  ${bold(`Sign in at ${baseUrl}/ with one of these names and passwords:`)}`,
    ...lines,
    `  ${dim(`They stay the same, and are also in ${join(dataDirectory, "login.json")}.`)}`,
    "",
  ];
};

const tokenLines = ({ token, client, port }: SummaryFacts, baseUrl: string): string[] => {
  const ofClient = client === undefined ? "" : ` client=${client}`;
  const another = `${port === 3000 ? "" : `PORT=${port} `}${command} issue ip=127.0.0.1${ofClient}`;
  const days = `  Let days pass:  ${port === 3000 ? "" : `PORT=${port} `}${isDependency ? "npx integration-api days" : "npm run days --"} 31`;
  const issued = token && [
    `  ${bold(`A token${client === undefined ? "" : ` of ${client}`} for 127.0.0.1, shown this once:`)}`,
    `  ${token}`,
    "",
    "  Try it:",
    `  curl -H 'Accept: application/json' -H 'X-Token: ${token}' ${baseUrl}${tokenPaths.token}`,
    "",
  ];
  return [...(issued || []), `  Another token:  ${another}`, days, "  Stop: Ctrl-C", ""];
};

// styleText omits colours if the terminal does not support them or NO_COLOR is set.
const bold = (text: string): string => styleText("bold", text, { stream: process.stdout });
const dim = (text: string): string => styleText("dim", text, { stream: process.stdout });

/**
 * Issues a token for this machine if no token exists yet. Returns `undefined` if one exists, or if the app has no admin function.
 *
 * @param client the client that the token belongs to
 */
export const firstToken = async (service: LocalService, client: string | undefined): Promise<string | undefined> => {
  if (!service.functionNames.includes("admin")) return undefined;
  const ask = async <Schema extends z.ZodMiniType>(schema: Schema, event: object): Promise<z.infer<Schema>> => {
    const { payload, log } = await service.invoke("admin", event);
    const response = schema.safeParse(JSON.parse(payload));
    if (response.success) return response.data;
    throw new LocalError(`The admin function failed to list or to issue tokens: ${payload}\n${log}`);
  };
  const { tokens } = await ask(z.object({ tokens: z.array(z.unknown()) }), { action: "list", limit: 1 });
  if (tokens.length > 0) return undefined;
  const about = { invoked_by: "npm start", ip: "127.0.0.1", comment: "issued by the first local start" };
  return (await ask(z.object({ token: z.string() }), { action: "issue", ...about, client: client ?? null })).token;
};
