import * as z from "zod/mini";
import { type RestoredTables, restoredTablesOf, type TableOption, tableOptions } from "./restored-tables.ts";
import { type Stage, stageNames, stages } from "./stage.ts";

/** An unknown option, or an invalid value. The message is written for the operator and needs no stack trace. */
export class OptionError extends Error {
  override name = "OptionError";
}

const flag = (name: string, byDefault: "true" | "false" = "false") =>
  z.pipe(
    z._default(z.enum(["true", "false"], { error: `-c ${name}=… must be true or false.` }), byDefault),
    z.transform((value) => value === "true"),
  );

const wholeNumber = (name: string) =>
  z.pipe(
    z._default(z.string().check(z.regex(/^\d{1,4}$/, `-c ${name}=… must be a whole number from 0 to 9999.`)), "0"),
    z.transform(Number),
  );

/** Everything that `-c name=value` can set. */
const schema = z.strictObject({
  stage: z._default(z.enum(stageNames, { error: `-c stage=… must be one of ${stageNames.join(", ")}.` }), "prod"),
  /** A domain name for the service, with the ARN of a certificate for it. */
  domainName: z.optional(
    z
      .string()
      .check(z.regex(/^([a-z0-9-]+\.)+[a-z]+$/, "-c domainName=… must be a host name, such as api.example.com.")),
  ),
  certificateArn: z.optional(
    z
      .string()
      .check(z.regex(/^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/\S+$/, "-c certificateArn=… must be an ARN of ACM.")),
  ),
  /** Answers on IPv6 too. A client may then appear with another address than the one that its token is bound to. */
  dualStack: flag("dualStack"),
  /** Encrypts tables, logs and alarms with a key of this account instead of keys that AWS owns. */
  customerManagedKey: flag("customerManagedKey"),
  /** Receives a mail for each alarm. */
  alarmEmail: z.optional(z.email("-c alarmEmail=… must be an e-mail address, such as ops@example.com.")),
  /** The first Superuser of the web interface, invited by mail. Needed once: the user stays. */
  superuserEmail: z.optional(z.email("-c superuserEmail=… must be an e-mail address, such as you@example.com.")),
  /** How many environments of each endpoint's function are kept ready, which AWS bills by the hour. */
  provisionedConcurrency: wholeNumber("provisionedConcurrency"),
  /** Overrides the stage's level: `warn` logs no line for a successful request. */
  logLevel: z.optional(z.enum(["info", "warn", "error"], { error: "-c logLevel=… must be one of info, warn, error." })),
  /** Whether bundles leave out the parts of the AWS SDK that no function uses: see docs/sdk-trimming.md. */
  trimSdk: flag("trimSdk", "true"),
  /** Whether the stage may shift traffic gradually. Two versions that use different tables must not both get calls. */
  shiftTraffic: flag("shiftTraffic", "true"),
  /** The tables to use in place of the stack's own: see docs/runbook.md. */
  ...tableOptions,
  /** The key that encrypts those tables, if it is a key of this account other than the stack's own. */
  restoredTablesKey: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/,
          "-c restoredTablesKey=… must be the ARN of a key of KMS (arn:aws:kms:…:key/…), not of an alias.",
        ),
      ),
  ),
});

export type Options = Omit<z.output<typeof schema>, "stage" | "logLevel" | TableOption> & {
  /** The stage that `-c stage=…` names, with what other options override. */
  stage: Stage;
  restoredTables: RestoredTables;
};

/**
 * Reads the options of the app from the CDK's context, which `-c` and cdk.json set.
 *
 * @throws {OptionError} naming every option that is unknown or invalid.
 */
export const readOptions = (context: Readonly<Record<string, unknown>>): Options => {
  const result = schema.safeParse(withoutCdkContext(context));
  if (!result.success) throw new OptionError(result.error.issues.map(sentenceOf).join("\n"));
  const { stage: name, logLevel, ...options } = result.data;
  if ((options.domainName === undefined) !== (options.certificateArn === undefined)) {
    throw new OptionError("-c domainName=… and -c certificateArn=… go together: give both or neither.");
  }
  const restoredTables = restoredTablesOf(options);
  if (options.restoredTablesKey !== undefined && !Object.values(restoredTables).some(Boolean)) {
    throw new OptionError("-c restoredTablesKey=… encrypts restored tables: name one, such as -c keysTable=….");
  }
  const stage = stages[name];
  return { ...options, restoredTables, stage: { ...stage, ...(logLevel && { logLevel }) } };
};

/**
 * The context without the CDK's own entries, whose names contain a colon, a slash or an at sign, with one exception. Values in
 * cdk.json may be booleans and numbers; on the command line they are strings.
 */
const withoutCdkContext = (context: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(context)
      .filter(([name]) => !/[:/@]/.test(name) && name !== "cli-telemetry")
      .map(([name, value]) => [name, typeof value === "boolean" || typeof value === "number" ? `${value}` : value]),
  );

const sentenceOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code !== "unrecognized_keys") return issue.message;
  const names = Object.keys(schema.shape).join(", ");
  return `-c ${issue.keys.join(", ")}: there is no such option. The options are: ${names}.`;
};
