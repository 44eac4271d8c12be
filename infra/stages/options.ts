import * as z from "zod/mini";
import { commandOptions, generalOptions, guardedOptions, tableOption, text } from "./general-options.ts";
import { OptionError } from "./option-error.ts";
import { optionsFileOf } from "./options-file.ts";
import { concurrencyCaps, type Stage, stages } from "./stage.ts";

/** The options that override a property of the stage. */
type StageOption =
  | "stage"
  | "architecture"
  | "logLevel"
  | "monitoring"
  | "requireMfa"
  | "reserveConcurrency"
  | "useCodeDeploy";

export type Options = Omit<z.output<z.ZodMiniObject<typeof generalOptions>>, StageOption> & {
  /** The stage that the option `stage` names, with the overrides of other options. */
  stage: Stage;
  /** The tables that replace the stack's own tables, by store. See docs/runbook.md. */
  restoredTables: Readonly<Record<string, string | undefined>>;
  /** The ARNs of the streams of restored tables, by the name of the store. */
  restoredStreams: Readonly<Record<string, string>>;
  /** The options that were set, except `stage` and the options that apply only once. */
  given: Values;
};

/** The unchecked values of options, by name. */
type Values = Readonly<Record<string, unknown>>;

/**
 * Reads the options from the CDK's context, which `-c` sets, and from the stage's file. The context takes precedence.
 *
 * @param readFile returns the content of the stage's file. See `readOptionsFile`.
 * @throws {OptionError} naming every option that is unknown or invalid, and where it was set.
 */
export const readOptions = (
  context: Values,
  stores: readonly string[],
  readFile: (stage: string) => Values = () => ({}),
): Options => {
  const { fromContext, settings } = separateSettings(withoutCdkContext(context));
  const file = z.object({ stage: generalOptions.stage }).safeParse(fromContext).data?.stage ?? "";
  const fromFile = file === "" ? {} : textsOf(readFile(file));
  const placeOf = (name: string) =>
    name in fromFile && !(name in fromContext) ? `"${name}" in ${optionsFileOf(file)}` : `-c ${name}=…`;
  const refuse = (name: string, reason: string): never => {
    throw new OptionError(`${placeOf(name)} ${reason}`);
  };
  for (const name of commandOptions.filter((one) => one in fromFile)) {
    throw new OptionError(`"${name}" in ${optionsFileOf(file)} is not allowed: set it with -c.`);
  }
  const values: Values = {
    ...fromFile,
    ...fromContext,
    ...(Object.keys(settings).length > 0 && { settings: { ...Object(fromFile.settings), ...settings } }),
  };

  const form =
    'the name of a table: 3 to 255 characters from A-Z, a-z, 0-9, "_", "-" and ".", or the ARN of its stream';
  const tableOptions = stores.map((store) => [
    tableOption(store),
    text(/^([\w.-]{3,255}|arn:\S+:table\/\S+\/stream\/\S+)$/, form),
  ]);
  const all = z.strictObject({ ...generalOptions, ...Object.fromEntries(tableOptions) });
  const { error } = all.safeParse(values);
  if (error) {
    const sentences = error.issues.flatMap((issue) => sentencesOf(issue, placeOf, stores));
    throw new OptionError([...new Set(sentences)].join("\n"));
  }
  const { stage: name, ...options } = z.object(generalOptions).parse(values);
  const stage = stages[name];

  const { domainName, certificateArn, restoredTablesKey, allowChange } = options;
  const guarded = [...guardedOptions, ...stores.map(tableOption)];
  if (allowChange.some((one) => !guarded.includes(one)))
    refuse("allowChange", `must name some of ${guarded.join(", ")}.`);
  if (domainName === undefined && certificateArn !== undefined) refuse("certificateArn", "needs domainName, too.");
  if (domainName !== undefined && certificateArn === undefined) refuse("domainName", "needs certificateArn, too.");
  if (domainName === undefined && !options.executeApi) refuse("executeApi", "needs domainName, too.");
  const tables = stores.map((store) => [store, values[tableOption(store)]] as const);
  const tableIn = (value?: string) => /:table\/([^/]+)/.exec(value ?? "")?.[1] ?? value;
  const restoredTables = Object.fromEntries(tables.map(([store, table]) => [store, tableIn(table?.toString())]));
  const streams = tables.filter(([, table]) => `${table}`.startsWith("arn:"));
  if (restoredTablesKey !== undefined && tables.every(([, table]) => table === undefined)) {
    refuse("restoredTablesKey", "encrypts restored tables: name one, such as keysTable.");
  }
  const { architecture, logLevel, monitoring, requireMfa, reserveConcurrency, useCodeDeploy, ...others } = options;
  if (useCodeDeploy && (monitoring ?? stage.monitoring) === "none")
    refuse("useCodeDeploy", `needs alarms, which ${name} does not have.`);
  const given = Object.fromEntries(Object.entries(values).filter(([one]) => !commandOptions.includes(one)));
  return {
    ...others,
    restoredTables,
    restoredStreams: Object.fromEntries(streams.map(([store, stream]) => [store, `${stream}`])),
    given,
    stage: {
      ...stage,
      ...(architecture && { architecture }),
      ...(logLevel && { logLevel }),
      ...(monitoring && { monitoring }),
      ...(requireMfa !== undefined && { requiresMfa: requireMfa }),
      ...(reserveConcurrency && { concurrencyCaps }),
      shiftsTraffic: useCodeDeploy ?? stage.shiftsTraffic,
    },
  };
};

/** Converts booleans and numbers, which a file may contain, to the strings that `-c` would set. */
const textsOf = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "boolean" || typeof value === "number" ? `${value}` : value,
    ]),
  );

const settingPrefix = "settings.";

/** Separates single settings, such as `settings.carrier_url`, from the other options. */
const separateSettings = (context: Values): { fromContext: Values; settings: Values } => {
  const { true: settings = [], false: others = [] } = Object.groupBy(Object.entries(context), ([name]) =>
    name.startsWith(settingPrefix) ? "true" : "false",
  );
  return {
    fromContext: Object.fromEntries(others),
    settings: Object.fromEntries(settings.map(([name, value]) => [name.slice(settingPrefix.length), value])),
  };
};

/** Removes the CDK's own entries from the context. Except for one, their names contain a colon, a slash or an at sign. */
const withoutCdkContext = (context: Values): Values =>
  textsOf(
    Object.fromEntries(Object.entries(context).filter(([name]) => !/[:/@]/.test(name) && name !== "cli-telemetry")),
  );

const sentencesOf = (
  issue: z.core.$ZodIssue,
  placeOf: (name: string) => string,
  stores: readonly string[],
): string[] => {
  if (issue.code !== "unrecognized_keys") return [`${placeOf(String(issue.path[0]))} ${issue.message}`];
  const known = [...Object.keys(generalOptions), ...stores.map(tableOption)].join(", ");
  return issue.keys.map((key) => `${placeOf(key)}: there is no such option. The options are: ${known}.`);
};
