import * as z from "zod/mini";
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

/** `keysTable`, which names a table for the store `keys`. */
export const tableOption = (store: string) => `${store}Table` as const;

/** An optional text of a certain form. */
export const text = (pattern: RegExp, form: string) =>
  z.optional(z.string(`must be ${form}.`).check(z.regex(pattern, `must be ${form}.`)));

const email = z.optional(z.email("must be an email address, such as ops@example.com."));

const tagsForm =
  'must be an object in the file of the stage, such as { "team": "billing" }, with names and values that AWS accepts.';

const tag = {
  name: z.string(tagsForm).check(z.regex(/^(?!aws:)[\p{L}\p{N} _.:/=+@-]{1,128}$/u, tagsForm)),
  value: z.string(tagsForm).check(z.regex(/^[\p{L}\p{N} _.:/=+@-]{0,256}$/u, tagsForm)),
};

/** The options of a deployment, besides a table in place of each of the stack's own. */
export const generalOptions = {
  stage: z._default(z.enum(stageNames, { error: `must be one of ${stageNames.join(", ")}.` }), "prod"),
  /** A domain name for the service, with the ARN of a certificate for it. */
  domainName: text(/^([a-z0-9-]+\.)+[a-z]+$/, "a host name, such as api.example.com"),
  certificateArn: text(/^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/\S+$/, "an ARN of ACM"),
  /** `false` closes the address of API Gateway, so that the service has only its domain name. */
  executeApi: flag("true"),
  /** Serves IPv6, too. A client may then come from an address that its token is not bound to. */
  dualStack: flag(),
  /** Encrypts tables, logs and alarms with a key of this account instead of keys that AWS owns. */
  customerManagedKey: flag(),
  /** Receives an email for each alarm. */
  alarmEmail: email,
  /** Receives an email for each batch of notices about tokens. */
  noticeEmail: email,
  /** Overrides the stage's monitoring: `full` adds a dashboard and alarms on the metrics of each table. */
  monitoring: z.optional(z.enum(["alarms", "full"], { error: "must be alarms or full." })),
  /** Where operators read docs/runbook.md. Alarms link to its sections. */
  runbookUrl: z.optional(z.url({ protocol: /^https$/, error: "must be an https address." })),
  /** Whether admins need an authenticator app. Overrides the stage's setting. */
  requireMfa: z.optional(flagValue),
  /** How many environments of each endpoint's function are kept ready, which AWS bills by the hour. */
  provisionedConcurrency: wholeNumber,
  /** Caps the functions that anybody may call, so that they cannot take the account's concurrency from the endpoints. */
  reserveConcurrency: flag(),
  /**
   * Whether CodeDeploy switches functions to their new versions, once these have passed their check. Overrides the stage's
   * setting. CodeDeploy refuses an alias that was switched by hand.
   */
  useCodeDeploy: z.optional(flagValue),
  /** Overrides the stage's level: `warn` logs no line for a successful request. */
  logLevel: z.optional(z.enum(["info", "warn", "error"], { error: "must be one of info, warn, error." })),
  /** Whether bundles leave out the parts of the AWS SDK that no function uses: see docs/performance.md. */
  trimSdk: flag("true"),
  /** Whether the stage may shift traffic gradually. Two versions that use different tables must not both get calls. */
  shiftTraffic: flag("true"),
  /** The key that encrypts restored tables, if it is a key of this account other than the stack's own. */
  restoredTablesKey: text(
    /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/,
    "the ARN of a key of KMS (arn:aws:kms:…:key/…), not of an alias",
  ),
  /** The region to which AWS Backup copies all tables every day. */
  backupRegion: text(/^[a-z]{2}(-[a-z]+)+-\d$/, "a region, such as eu-west-1"),
  /** Tags of the stacks, which CloudFormation adds to everything in them. */
  tags: z.optional(z.record(tag.name, tag.value, tagsForm)),
  /** The name or the ARN of a policy that bounds what each role of the stacks may do. */
  permissionsBoundary: text(
    /^(arn:[\w-]+:iam::\w+:policy\/\S+|(?!arn:)[\w+=,.@/-]{1,512})$/,
    "the name or the ARN of an IAM policy",
  ),
  /** The guarded options that this deployment may drop or change. */
  allowChange: z.pipe(
    z._default(z.string().check(z.regex(/^\w+(,\w+)*$/, "must be names of options, separated by commas.")), ""),
    z.transform((names) => (names === "" ? [] : names.split(","))),
  ),
  /** Lets no resource of the data stack wait for another one that `cdk import` leaves out. */
  forImport: flag(),
};

/** The options that one command needs, and that must not stay in the file of a stage. */
export const commandOptions: readonly string[] = [
  "stage",
  "allowChange",
  "forImport",
] satisfies (keyof typeof generalOptions)[];

/**
 * The options that a deployment must not drop or change unless `allowChange` names them, because that would cut somebody off,
 * lose data, or weaken the service. So are the options for restored tables.
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
