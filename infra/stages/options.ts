import * as z from "zod/mini";
import { concurrencyCaps, type Stage, stageNames, stages } from "./stage.ts";

/** An unknown option, or an invalid value. The message is written for the operator and needs no stack trace. */
export class OptionError extends Error {
  override name = "OptionError";
}

const flagValue = (name: string) =>
  z.pipe(
    z.enum(["true", "false"], { error: `-c ${name}=… must be true or false.` }),
    z.transform((value) => value === "true"),
  );

const flag = (name: string, byDefault: "true" | "false" = "false") => z._default(flagValue(name), byDefault === "true");

const optionalFlag = (name: string) => z.optional(flagValue(name));

const wholeNumber = (name: string) =>
  z.pipe(
    z._default(z.string().check(z.regex(/^\d{1,4}$/, `-c ${name}=… must be a whole number from 0 to 9999.`)), "0"),
    z.transform(Number),
  );

/** `keysTable`, which `-c keysTable=restored-keys` sets. */
const tableOption = (store: string) => `${store}Table` as const;

/** An optional text of a certain form. */
const text = (name: string, pattern: RegExp, form: string) =>
  z.optional(z.string().check(z.regex(pattern, `-c ${name}=… must be ${form}.`)));

/** An option for each table, such as `-c keysTable=restored-keys`. */
const tableOptions = (stores: readonly string[]) => {
  const form = 'the name of a table: 3 to 255 characters from A-Z, a-z, 0-9, "_", "-" and "."';
  const names = stores.map(tableOption);
  return z.object(Object.fromEntries(names.map((name) => [name, text(name, /^[A-Za-z0-9_.-]{3,255}$/, form)])));
};

/** What `-c name=value` can set, besides a table in place of each of the stack's own. */
export const generalOptions = {
  stage: z._default(z.enum(stageNames, { error: `-c stage=… must be one of ${stageNames.join(", ")}.` }), "prod"),
  /** A domain name for the service, with the ARN of a certificate for it. */
  domainName: text("domainName", /^([a-z0-9-]+\.)+[a-z]+$/, "a host name, such as api.example.com"),
  certificateArn: text("certificateArn", /^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/\S+$/, "an ARN of ACM"),
  /** Serves IPv6, too. A client may then come from an address that its token is not bound to. */
  dualStack: flag("dualStack"),
  /** Encrypts tables, logs and alarms with a key of this account instead of keys that AWS owns. */
  customerManagedKey: flag("customerManagedKey"),
  /** Receives a mail for each alarm. */
  alarmEmail: z.optional(z.email("-c alarmEmail=… must be an e-mail address, such as ops@example.com.")),
  /** Receives a mail for each batch of notices about tokens. */
  noticeEmail: z.optional(z.email("-c noticeEmail=… must be an e-mail address, such as ops@example.com.")),
  /** Where operators read docs/runbook.md: alarms refer to its sections. By default, the service itself shows it. */
  runbookUrl: z.optional(z.url({ protocol: /^https$/, error: "-c runbookUrl=… must be an https address." })),
  /** Whether admins need an authenticator app. Overrides the stage's setting. */
  requireMfa: optionalFlag("requireMfa"),
  /** How many environments of each endpoint's function are kept ready, which AWS bills by the hour. */
  provisionedConcurrency: wholeNumber("provisionedConcurrency"),
  /** Caps the functions that anybody may call, so that they cannot take the account's concurrency from the endpoints. */
  reserveConcurrency: flag("reserveConcurrency"),
  /** `false` switches functions to their new versions directly: CodeDeploy refuses an alias that was switched by hand. */
  useCodeDeploy: flag("useCodeDeploy", "true"),
  /** Overrides the stage's level: `warn` logs no line for a successful request. */
  logLevel: z.optional(z.enum(["info", "warn", "error"], { error: "-c logLevel=… must be one of info, warn, error." })),
  /** Whether bundles leave out the parts of the AWS SDK that no function uses: see docs/performance.md. */
  trimSdk: flag("trimSdk", "true"),
  /** Whether the stage may shift traffic gradually. Two versions that use different tables must not both get calls. */
  shiftTraffic: flag("shiftTraffic", "true"),
  /** The key that encrypts restored tables, if it is a key of this account other than the stack's own. */
  restoredTablesKey: text(
    "restoredTablesKey",
    /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/,
    "the ARN of a key of KMS (arn:aws:kms:…:key/…), not of an alias",
  ),
};

/** The options that override a property of the stage. */
type StageOption = "stage" | "logLevel" | "requireMfa" | "reserveConcurrency" | "useCodeDeploy";

export type Options = Omit<z.output<z.ZodMiniObject<typeof generalOptions>>, StageOption> & {
  /** The stage that `-c stage=…` names, with the overrides of other options. */
  stage: Stage;
  /** The tables to use in place of the stack's own, by store: see docs/runbook.md. */
  restoredTables: Readonly<Record<string, string | undefined>>;
};

/**
 * Reads the options of the app from the CDK's context, which `-c` and cdk.json set.
 *
 * @throws {OptionError} naming every option that is unknown or invalid.
 */
export const readOptions = (context: Readonly<Record<string, unknown>>, stores: readonly string[]): Options => {
  const isTableOption = new Set<string>(stores.map(tableOption));
  const [ofTables = [], others = []] = [true, false].map((wanted) =>
    withoutCdkContext(context).filter(([name]) => isTableOption.has(name) === wanted),
  );
  const tables = tableOptions(stores).safeParse(Object.fromEntries(ofTables));
  const result = z.strictObject(generalOptions).safeParse(Object.fromEntries(others));
  if (!result.success || !tables.success) {
    const issues = [...(result.error?.issues ?? []), ...(tables.error?.issues ?? [])];
    throw new OptionError(issues.map((issue) => sentenceOf(issue, stores)).join("\n"));
  }
  const { stage: name, logLevel, requireMfa, reserveConcurrency, useCodeDeploy, ...options } = result.data;
  if ((options.domainName === undefined) !== (options.certificateArn === undefined)) {
    throw new OptionError("-c domainName=… and -c certificateArn=… go together: give both or neither.");
  }
  const restoredTables = Object.fromEntries(stores.map((store) => [store, tables.data[tableOption(store)]]));
  if (options.restoredTablesKey !== undefined && !Object.values(restoredTables).some(Boolean)) {
    throw new OptionError("-c restoredTablesKey=… encrypts restored tables: name one, such as -c keysTable=….");
  }
  const stage = stages[name];
  return {
    ...options,
    restoredTables,
    stage: {
      ...stage,
      ...(logLevel && { logLevel }),
      ...(requireMfa !== undefined && { requiresMfa: requireMfa }),
      ...(reserveConcurrency && { concurrencyCaps }),
      shiftsTraffic: stage.shiftsTraffic && useCodeDeploy,
    },
  };
};

/**
 * The context without the CDK's own entries, whose names contain a colon, a slash or an at sign, with one exception. Values in
 * cdk.json may be booleans and numbers; on the command line they are strings.
 */
const withoutCdkContext = (context: Readonly<Record<string, unknown>>): [name: string, value: unknown][] =>
  Object.entries(context)
    .filter(([name]) => !/[:/@]/.test(name) && name !== "cli-telemetry")
    .map(([name, value]) => [name, typeof value === "boolean" || typeof value === "number" ? `${value}` : value]);

const sentenceOf = (issue: z.core.$ZodIssue, stores: readonly string[]): string =>
  issue.code === "unrecognized_keys"
    ? `-c ${issue.keys.join(", ")}: there is no such option. The options are: ${[...Object.keys(generalOptions), ...stores.map(tableOption)].join(", ")}.`
    : issue.message;
