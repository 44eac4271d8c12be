import * as z from "zod/mini";
import { settingValue } from "./settings.ts";
import { stageNames } from "./stage.ts";

const flagValue = z.pipe(
  z.enum(["true", "false"], { error: "must be true or false." }),
  z.transform((value) => value === "true"),
);

const flag = (byDefault: "true" | "false" = "false") => z._default(flagValue, byDefault === "true");

const wholeNumber = z.pipe(
  z._default(z.string().check(z.regex(/^\d{1,4}$/, "must be a whole number from 0 to 9999.")), "0"),
  z.transform(Number),
);

/** Returns the option that names a table for a store, such as `keysTable` for the store `keys`. */
export const tableOption = (store: string) => `${store}Table` as const;

/** Returns the schema of an optional string with a certain format. */
export const text = (pattern: RegExp, form: string) =>
  z.optional(z.string(`must be ${form}.`).check(z.regex(pattern, `must be ${form}.`)));

const email = z.optional(z.email("must be an email address, such as ops@example.com."));

const settingsForm =
  'must be an object in the file of the stage, such as { "carrier_url": "https://…" }; with -c, set settings.carrier_url=….';

const tagsForm =
  'must be an object in the file of the stage, such as { "team": "billing" }, with names and values that AWS accepts.';

const tag = {
  name: z.string(tagsForm).check(z.regex(/^(?!aws:)[\p{L}\p{N} _.:/=+@-]{1,128}$/u, tagsForm)),
  value: z.string(tagsForm).check(z.regex(/^[\p{L}\p{N} _.:/=+@-]{0,256}$/u, tagsForm)),
};

/** The options of a deployment, besides those that replace tables of the stack. */
export const generalOptions = {
  stage: z._default(z.enum(stageNames, { error: `must be one of ${stageNames.join(", ")}.` }), "prod"),
  /** A domain name for the service, with the ARN of its certificate. */
  domainName: text(/^([a-z0-9-]+\.)+[a-z]+$/, "a host name, such as api.example.com"),
  certificateArn: text(/^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/\S+$/, "an ARN of ACM"),
  /** `false` disables API Gateway's own address, so that the service is available only at its domain name. */
  executeApi: flag("true"),
  /** Also serves IPv6. Clients may then call from an address that their token is not bound to. */
  dualStack: flag(),
  /** Encrypts tables, logs and alarms with a customer managed key instead of keys that AWS owns. */
  customerManagedKey: flag(),
  /** Receives an email for each alarm. */
  alarmEmail: email,
  /** Receives an email for each batch of notices about tokens. */
  noticeEmail: email,
  /** Overrides the stage's monitoring: `full` adds a dashboard and alarms on the metrics of each table. */
  monitoring: z.optional(z.enum(["alarms", "full"], { error: "must be alarms or full." })),
  /** The address where operators read docs/runbook.md. Alarms link to its sections. */
  runbookUrl: z.optional(z.url({ protocol: /^https$/, error: "must be an https address." })),
  /** Whether admins need an authenticator app. Overrides the stage's setting. */
  requireMfa: z.optional(flagValue),
  /** The number of environments to keep ready for each endpoint's function. AWS bills them by the hour. */
  provisionedConcurrency: wholeNumber,
  /** Caps the public functions, so that they cannot use up the concurrency that the endpoints need. */
  reserveConcurrency: flag(),
  /**
   * Whether CodeDeploy switches functions to their new versions once the versions have passed their check. Overrides the stage's
   * setting. CodeDeploy does not switch an alias that was changed by hand.
   */
  useCodeDeploy: z.optional(flagValue),
  /** Overrides the stage's log level. `warn` does not log successful requests. */
  logLevel: z.optional(z.enum(["info", "warn", "error"], { error: "must be one of info, warn, error." })),
  /** Overrides the processors that the functions run on, so that a build on such a machine can make their code caches. */
  architecture: z.optional(z.enum(["arm64", "x86_64"], { error: "must be arm64 or x86_64." })),
  /** Whether bundles leave out the parts of the AWS SDK that no function uses. See docs/performance.md. */
  trimSdk: flag("true"),
  /**
   * Whether the stage may shift traffic gradually. Two versions that use different tables must not receive calls at the same time.
   */
  shiftTraffic: flag("true"),
  /** The key that encrypts restored tables, if it is a customer managed key other than the stack's own. */
  restoredTablesKey: text(
    /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/,
    "the ARN of a key of KMS (arn:aws:kms:…:key/…), not of an alias",
  ),
  /** The region to which AWS Backup copies all tables every day. */
  backupRegion: text(/^[a-z]{2}(-[a-z]+)+-\d$/, "a region, such as eu-west-1"),
  /** The values of the settings that endpoints declare. */
  settings: z.optional(z.record(z.string(), settingValue, settingsForm)),
  /** The tags of the stacks. CloudFormation adds them to all resources in the stacks. */
  tags: z.optional(z.record(tag.name, tag.value, tagsForm)),
  /** The name or the ARN of a policy that limits the permissions of each role in the stacks. */
  permissionsBoundary: text(
    /^(arn:[\w-]+:iam::\w+:policy\/\S+|(?!arn:)[\w+=,.@/-]{1,512})$/,
    "the name or the ARN of an IAM policy",
  ),
  /** The guarded options that this deployment may drop or change. */
  allowChange: z.pipe(
    z._default(z.string().check(z.regex(/^\w+(,\w+)*$/, "must be names of options, separated by commas.")), ""),
    z.transform((names) => (names === "" ? [] : names.split(","))),
  ),
  /** Removes dependencies of the data stack's resources on resources that `cdk import` leaves out. */
  forImport: flag(),
};

/** The options that are meant for a single command and must not stay in a stage's file. */
export const commandOptions: readonly string[] = [
  "stage",
  "allowChange",
  "forImport",
] satisfies (keyof typeof generalOptions)[];

/**
 * The options that a deployment must not drop or change unless `allowChange` names them, because that would lock somebody out, lose
 * data, or weaken the service. The options for restored tables are guarded too.
 */
export const guardedOptions: readonly string[] = [
  "domainName",
  "dualStack",
  "customerManagedKey",
  "alarmEmail",
  "noticeEmail",
  "requireMfa",
  "restoredTablesKey",
  "backupRegion",
] satisfies (keyof typeof generalOptions)[];
