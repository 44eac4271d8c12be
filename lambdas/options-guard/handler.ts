import { isRollingBack, type ResourceRequest, report } from "../shared/aws/custom-resource.ts";
import { log } from "../shared/log.ts";

/** Option values by name. Options that are not set are missing. */
type Values = Readonly<Record<string, string>>;

interface GuardedProperties {
  Options?: Values;
  /** The options that this deployment may drop or change. */
  Allowed?: readonly string[];
  /** The file that should contain the options. */
  File: string;
}

/** CloudFormation's request, with the properties of this deployment and of the deployed stack. */
export interface GuardRequest extends ResourceRequest {
  ResourceProperties: GuardedProperties;
  OldResourceProperties?: Partial<GuardedProperties>;
}

/**
 * The Lambda handler that CloudFormation calls before it changes anything else in a stack. It stops deployments that would
 * drop or change an option that somebody depends on, unless the deployment explicitly allows that. Rollbacks are always allowed.
 */
export const handler = async (event: GuardRequest): Promise<void> => {
  const response = (failure?: string) => {
    if (failure !== undefined) log("warn", { message: "options_refused", cause: failure });
    return report(event, "options-guard", failure);
  };
  if (event.RequestType !== "Update") return response();
  // Templates omit empty values.
  const { Options = {}, Allowed = [], File } = event.ResourceProperties;
  const lost = lostOptions(event.OldResourceProperties?.Options ?? {}, Options).filter(
    ([name]) => !Allowed.includes(name),
  );
  if (lost.length === 0) return response();
  try {
    if (await isRollingBack(event.StackId)) return response();
  } catch {
    return response("CloudFormation did not tell whether this is a rollback: repeat it.");
  }
  const list = lost.map(([name, value]) => `${name} (${value})`).join(", ");
  const names = lost.map(([name]) => name).join();
  return response(
    `This would drop or change ${list} of the deployed stack. Complete ${File}, or allow it with -c allowChange=${names}.`,
  );
};

/** Returns the stack's current options that would be missing or different. */
const lostOptions = (deployed: Values, next: Values): [name: string, value: string][] =>
  Object.entries(deployed).filter(([name, value]) => next[name] !== value);
