import type { IncomingHttpHeaders } from "node:http";
import { isAllowed, type Rights } from "../assembly/rights.ts";
import { type AwsEnvironment, arnOf } from "../support/aws-environment.ts";
import { isRecord } from "../support/is-record.ts";
import { accessedAttributes } from "./accessed-attributes.ts";

/** A right that a function has used. */
export interface UsedRight {
  functionName: string;
  /** `dynamodb:PutItem` */
  action: string;
  /** ARN of the table or index. */
  resource: string;
}

/**
 * Allows or refuses database requests by the IAM policies in the template, as AWS would after deployment.
 *
 * @param rightsOf by function name, which is also the access key that the function signs with; any other access key is
 * the user's own, and may do everything
 */
export const createAccessControl = (rightsOf: ReadonlyMap<string, Rights>, environment: AwsEnvironment) => {
  const used = new Map<string, UsedRight>();
  // Rights that do not depend on attributes. Checking a known one again costs a single look-up.
  const unconditional = new Set<string>();

  /** The function that signed a request; undefined if it comes from anywhere else. */
  const functionOf = (headers: IncomingHttpHeaders) => functionThatSigned(headers, rightsOf);

  /** Undefined if the request is allowed, otherwise AWS's message. */
  const refusalOf = (headers: IncomingHttpHeaders, body: unknown): string | undefined => {
    const functionName = functionOf(headers);
    const rights = functionName === undefined ? undefined : rightsOf.get(functionName);
    if (functionName === undefined || rights === undefined) return undefined;
    const action = `dynamodb:${String(headers["x-amz-target"]).split(".").at(-1)}`;
    for (const name of resourcesIn(body)) {
      const resource = name.startsWith("arn:") ? name : arnOf(environment, "dynamodb", name);
      const id = `${functionName} ${action} ${resource}`;
      if (unconditional.has(id)) continue;
      const isUnconditional = isAllowed(rights, action, resource);
      const context = { "dynamodb:Select": isRecord(body) ? String(body.Select) : "" };
      if (!isUnconditional && !isAllowed(rights, action, resource, accessedAttributes(action, body), context)) {
        return denialOf({ functionName, action, resource }, environment);
      }
      if (isUnconditional) unconditional.add(id);
      used.set(id, { functionName, action, resource });
    }
    return undefined;
  };

  /** Replaces the rights. */
  const enforce = (next: ReadonlyMap<string, Rights>) => {
    rightsOf = next;
    unconditional.clear();
  };

  /** All rights that functions have used, also before the last `enforce`. */
  const usedRights = (): UsedRight[] => [...used.values()];

  return { refusalOf, functionOf, enforce, usedRights };
};

/** The function that signed a request: its name is its access key. */
export const functionThatSigned = (
  { authorization = "" }: IncomingHttpHeaders,
  rightsOf: ReadonlyMap<string, Rights>,
): string | undefined => {
  const [, accessKey = ""] = /Credential=([^/,\s]+)\//.exec(authorization) ?? [];
  return rightsOf.has(accessKey) ? accessKey : undefined;
};

/** AWS's message for a request that no policy allows. */
export const denialOf = ({ functionName, action, resource }: UsedRight, { partition, accountId }: AwsEnvironment) => {
  const user = `arn:${partition}:sts::${accountId}:assumed-role/${functionName}/${functionName}`;
  return `User: ${user} is not authorized to perform: ${action} on resource: ${resource}`;
};

// `table/NAME` or `table/NAME/index/INDEX`. A request without a table, such as ListTables, concerns all of them.
const resourcesIn = (body: unknown): string[] => {
  if (!isRecord(body)) return ["table/*"];
  if (isRecord(body.RequestItems)) return Object.keys(body.RequestItems).map(resourceOf);
  if (typeof body.TableName !== "string") return ["table/*"];
  const resource = resourceOf(body.TableName);
  return [typeof body.IndexName === "string" ? `${resource}/index/${body.IndexName}` : resource];
};

const resourceOf = (table: string): string => (table.startsWith("arn:") ? table : `table/${table}`);
