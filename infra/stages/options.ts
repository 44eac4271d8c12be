import type { Node } from "constructs";
import * as z from "zod/mini";
import { type Stage, stageNames, stages } from "./stage.ts";

/** An option that is not known, or a value that it does not take. The message is all that its reader needs. */
export class OptionError extends Error {
  override name = "OptionError";
}

const flag = (name: string) =>
  z.pipe(
    z._default(z.enum(["true", "false"], { error: `-c ${name}=… must be true or false.` }), "false"),
    z.transform((value) => value === "true"),
  );

const wholeNumber = (name: string) =>
  z.pipe(
    z._default(z.string().check(z.regex(/^\d{1,4}$/, `-c ${name}=… must be a whole number from 0 to 9999.`)), "0"),
    z.transform(Number),
  );

/** Everything that `-c name=value` may set. */
const schema = z.strictObject({
  stage: z._default(z.enum(stageNames, { error: `-c stage=… must be one of ${stageNames.join(", ")}.` }), "prod"),
  /** The service's own name, with the ARN of a certificate for it. */
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
  /** Answers on IPv6 too. A client then shows the address that its network prefers, and its token must be for that one. */
  dualStack: flag("dualStack"),
  /** Encrypts tables, logs and alarms with a key of this account instead of those that AWS owns. */
  customerManagedKey: flag("customerManagedKey"),
  /** Gets a mail when an alarm goes off. */
  alarmEmail: z.optional(z.email("-c alarmEmail=… must be an e-mail address, such as ops@example.com.")),
  /** The first Superuser of the web interface, who is invited by mail. Given once: the user stays. */
  superuserEmail: z.optional(z.email("-c superuserEmail=… must be an e-mail address, such as you@example.com.")),
  /** How many environments of each endpoint's function are kept ready; they are paid by the hour. */
  provisionedConcurrency: wholeNumber("provisionedConcurrency"),
  /** Overrides the stage's: `warn` logs no line for a request that went as it should. */
  logLevel: z.optional(z.enum(["info", "warn", "error"], { error: "-c logLevel=… must be one of info, warn, error." })),
});

export type Options = Omit<z.output<typeof schema>, "stage" | "logLevel"> & {
  /** Follows from `-c stage=…`, with what other options override of it. */
  stage: Stage;
};

/**
 * Reads the options of the app from the CDK's context, which `-c` and cdk.json set.
 *
 * @throws {OptionError} naming what is not known or not valid, all of it at once.
 */
export const readOptions = (node: Node): Options => {
  const result = schema.safeParse(ownContext(node.getAllContext()));
  if (!result.success) throw new OptionError(result.error.issues.map(sentenceOf).join("\n"));
  const { stage: name, logLevel, ...options } = result.data;
  if ((options.domainName === undefined) !== (options.certificateArn === undefined)) {
    throw new OptionError("-c domainName=… and -c certificateArn=… go together: give both or neither.");
  }
  const stage = stages[name];
  return { ...options, stage: { ...stage, ...(logLevel && { logLevel }) } };
};

/**
 * The context without what belongs to the CDK: its names have a colon, a slash or an at sign, but for one. cdk.json may have
 * `true` where the command line has a text.
 */
const ownContext = (context: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(context)
      .filter(([name]) => !/[:/@]/.test(name) && name !== "cli-telemetry")
      .map(([name, value]) => [name, typeof value === "boolean" || typeof value === "number" ? `${value}` : value]),
  );

const sentenceOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code !== "unrecognized_keys") return issue.message;
  const names = Object.keys(schema.shape).join(", ");
  return `-c ${issue.keys.join(", ")}: there is no such option. There are: ${names}.`;
};
