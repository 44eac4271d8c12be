import { describeStack, isRollingBack, type ResourceRequest, report } from "../shared/aws/custom-resource.ts";
import { log } from "../shared/log.ts";
import { type DeployedTables, indexesInUse, removedIndexes, tableProblems } from "./compare-tables.ts";

/** Option values by name. Options that are not set are missing. */
type Values = Readonly<Record<string, string>>;

interface GuardedProperties {
  Options?: Values;
  /** The options that this deployment may drop or change. */
  Allowed?: readonly string[];
  /** The file that should contain the options. */
  File: string;
  /** The tables of the stack, if it has any. */
  Tables?: DeployedTables;
  /** The name of the stack whose functions use the tables. */
  ApiStack?: string;
}

/** CloudFormation's request, with the properties of this deployment and of the deployed stack. */
export interface GuardRequest extends ResourceRequest {
  ResourceProperties: GuardedProperties;
  OldResourceProperties?: Partial<GuardedProperties>;
}

/**
 * The Lambda handler that CloudFormation calls before it changes anything else in a stack. It stops deployments that would drop or
 * change an option that somebody depends on, unless the deployment explicitly allows that, and deployments whose changes of tables
 * would fail or cause an outage. Rollbacks are always allowed.
 */
export const handler = async (event: GuardRequest): Promise<void> => {
  const response = (failure?: string) => {
    if (failure !== undefined) log("warn", { message: "options_refused", cause: failure });
    return report(event, "options-guard", failure);
  };
  return response(await failureOf(event).catch(() => "CloudFormation did not say whether this is safe: repeat it."));
};

const failureOf = async (event: GuardRequest): Promise<string | undefined> => {
  const { RequestType, ResourceProperties: next, OldResourceProperties: deployed = {}, StackId } = event;
  if (RequestType !== "Update") return undefined;
  const problems = [...optionProblems(deployed, next), ...(await indexProblems(deployed, next))];
  return problems.length === 0 || (await isRollingBack(StackId)) ? undefined : problems.join(" ");
};

// Templates omit empty values.
const optionProblems = (
  deployed: Partial<GuardedProperties>,
  { Options = {}, Allowed = [], File }: GuardedProperties,
) => {
  const lost = lostOptions(deployed.Options ?? {}, Options).filter(([name]) => !Allowed.includes(name));
  if (lost.length === 0) return [];
  const list = lost.map(([name, value]) => `${name} (${value})`).join(", ");
  const names = lost.map(([name]) => name).join();
  return [
    `This would drop or change ${list} of the deployed stack. Complete ${File}, or allow it with -c allowChange=${names}.`,
  ];
};

/** Returns the stack's current options that would be missing or different. */
const lostOptions = (deployed: Values, next: Values): [name: string, value: string][] =>
  Object.entries(deployed).filter(([name, value]) => next[name] !== value);

const indexProblems = async (deployed: Partial<GuardedProperties>, next: GuardedProperties): Promise<string[]> => {
  const [before, after] = [deployed.Tables ?? {}, next.Tables ?? {}];
  const isRemoval = removedIndexes(before, after).length > 0 && next.ApiStack !== undefined;
  return tableProblems(before, after, isRemoval ? await usedIndexes(next.ApiStack ?? "") : []);
};

/** Returns the indexes that the functions of the deployed stack may query. */
const usedIndexes = async (stack: string): Promise<string[]> => {
  const outputs = (await describeStack(stack)).split("<member>");
  const output = outputs.find((one) => one.includes(`<OutputKey>${indexesInUse}</OutputKey>`));
  const [, indexes = ""] = /<OutputValue>([^<]*)<\/OutputValue>/.exec(output ?? "") ?? [];
  return indexes.split(",");
};
