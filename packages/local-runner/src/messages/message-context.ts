import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { isAllowed, type Rights } from "../assembly/rights.ts";
import type { Topic } from "../assembly/topics.ts";
import { denialOf, functionThatSigned, type UsedRight } from "../database/access-control.ts";
import type { AwsEnvironment } from "../support/aws-environment.ts";
import type { Sent } from "./sent.ts";

/** A request to send something. */
export interface MessageRequest {
  headers: IncomingHttpHeaders;
  body: string;
  response: ServerResponse;
}

/** The parts of the run that sending uses. */
export interface MessageContext {
  environment: AwsEnvironment;
  /** The topics of the current application. */
  topics: () => Topic[];
  /** The names of its event buses. */
  buses: () => string[];
  senders: Senders;
  /** The time of the functions. */
  now: () => number;
  /** Stores and shows what is sent together. */
  send: (sent: Sent[]) => void;
  /** Called if a function sends what is not supported. */
  onUnsupported: (request: { functionName: string; what: string }) => void;
}

interface SendRequest {
  headers: IncomingHttpHeaders;
  /** `sns:Publish` */
  action: string;
  resource: string;
  /** What the request is about, by condition key. */
  context?: Record<string, string>;
}

/** Knows which functions may send what, by the policies in the template. */
export const createSenders = (environment: AwsEnvironment) => {
  let rightsOf: ReadonlyMap<string, Rights> = new Map();
  const used = new Map<string, UsedRight>();

  /** The function that signed a request; null if it comes from anywhere else. */
  const functionOf = (headers: IncomingHttpHeaders): string | null => functionThatSigned(headers, rightsOf) ?? null;

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
      const shown = action.replace(/^sns:/, "SNS:");
      const denial = denialOf({ functionName, action: shown, resource }, environment);
      return `${denial} because no identity-based policy allows the ${shown} action`;
    },
    enforce(next: ReadonlyMap<string, Rights>): void {
      rightsOf = next;
    },
    usedRights: (): UsedRight[] => [...used.values()],
  };
};

export type Senders = ReturnType<typeof createSenders>;
