import type { IncomingHttpHeaders } from "node:http";
import { isAllowed, type Rights } from "../assembly/rights.ts";
import { accessKeyOf, type UsedRight } from "../database/access-control.ts";
import type { AwsEnvironment } from "../support/aws-environment.ts";

interface SendRequest {
  headers: IncomingHttpHeaders;
  /** `sns:Publish` */
  action: string;
  resource: string;
  /** What the request is about, by condition key. */
  context?: Record<string, string>;
}

/** Knows which functions may send what, by the policies in the template. */
export const createSenders = ({ partition, accountId }: AwsEnvironment) => {
  let rightsOf: ReadonlyMap<string, Rights> = new Map();
  const used = new Map<string, UsedRight>();

  /** The function that signed a request; null if it comes from anywhere else. */
  const functionOf = ({ authorization }: IncomingHttpHeaders): string | null => {
    const accessKey = accessKeyOf(authorization);
    return accessKey !== undefined && rightsOf.has(accessKey) ? accessKey : null;
  };

  return {
    functionOf,
    /** Undefined if the request is allowed, otherwise AWS's message. */
    refusalOf({ headers, action, resource, context = {} }: SendRequest): string | undefined {
      const functionName = functionOf(headers);
      if (functionName === null) return undefined;
      if (isAllowed(rightsOf.get(functionName) ?? [], action, resource, "all", context)) {
        used.set(`${functionName} ${action} ${resource}`, { functionName, action, resource });
        return undefined;
      }
      const user = `arn:${partition}:sts::${accountId}:assumed-role/${functionName}/${functionName}`;
      const shown = action.replace(/^sns:/, "SNS:");
      return `User: ${user} is not authorized to perform: ${shown} on resource: ${resource} because no identity-based policy allows the ${shown} action`;
    },
    enforce(next: ReadonlyMap<string, Rights>): void {
      rightsOf = next;
    },
    usedRights: (): UsedRight[] => [...used.values()],
  };
};

export type Senders = ReturnType<typeof createSenders>;
