import type { IncomingHttpHeaders } from "node:http";
import { type AccessedAttributes, isAllowed, type Rights } from "../assembly/rights.ts";
import type { AwsEnvironment } from "../support/aws-environment.ts";

/** A right that a function has used. */
export interface UsedRight {
  functionName: string;
  /** `dynamodb:PutItem` */
  action: string;
  /** ARN of the table or index. */
  resource: string;
}

/** An action that a request performs. */
export interface Access {
  headers: IncomingHttpHeaders;
  /** `sns:Publish` */
  action: string;
  resource: string;
  /** Returns the attributes that a database request accesses. */
  accessed?: () => AccessedAttributes;
  /** Properties of the request, by condition key. */
  context?: Record<string, string>;
}

/**
 * Allows or denies requests according to the template's IAM policies, as AWS would after deployment. A function signs with its own
 * name as access key. Any other access key belongs to the user, who may do everything.
 */
export const createAccessControl = () => {
  let rightsOf: ReadonlyMap<string, Rights> = new Map();
  const used = new Map<string, UsedRight>();
  // Rights that don't depend on attributes. Checking a known right again costs a single lookup.
  const unconditional = new Set<string>();

  /** Returns the function that signed a request; undefined for any other origin. */
  const functionOf = ({ authorization = "" }: IncomingHttpHeaders): string | undefined => {
    const [, accessKey = ""] = /Credential=([^/,\s]+)\//.exec(authorization) ?? [];
    return rightsOf.has(accessKey) ? accessKey : undefined;
  };

  /** Returns the right that a function lacks; undefined if the request is allowed. */
  const missingRight = ({ headers, action, resource, accessed, context }: Access): UsedRight | undefined => {
    const functionName = functionOf(headers);
    const rights = functionName === undefined ? undefined : rightsOf.get(functionName);
    if (functionName === undefined || rights === undefined) return undefined;
    const right = { functionName, action, resource };
    const id = `${functionName} ${action} ${resource}`;
    if (unconditional.has(id)) return undefined;
    if (isAllowed(rights, action, resource)) unconditional.add(id);
    else if (!isAllowed(rights, action, resource, accessed?.(), context)) return right;
    used.set(id, right);
    return undefined;
  };

  /** Replaces the rights. */
  const enforce = (next: ReadonlyMap<string, Rights>) => {
    rightsOf = next;
    unconditional.clear();
  };

  /** Returns all rights that functions have used, including those before the last `enforce`. */
  const usedRights = (): UsedRight[] => [...used.values()];

  return { missingRight, functionOf, enforce, usedRights };
};

export type AccessControl = ReturnType<typeof createAccessControl>;

/** Returns AWS's message for a request that no policy allows. */
export const denialOf = ({ functionName, action, resource }: UsedRight, { partition, accountId }: AwsEnvironment) => {
  const user = `arn:${partition}:sts::${accountId}:assumed-role/${functionName}/${functionName}`;
  return `User: ${user} is not authorized to perform: ${action} on resource: ${resource}`;
};
