import type { IKey } from "aws-cdk-lib/aws-kms";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { FunctionKind, Stage } from "../stages/stage.ts";
import { keptIf } from "./lasting-resources.ts";

interface ServiceLogsProps {
  stage: Stage;
  /** The data stack's log of all requests. */
  access: LogGroup;
  encryptionKey: IKey | undefined;
}

/** The logs of the service. Each log is queried as a whole. */
export class ServiceLogs extends Construct {
  /** API Gateway's line for each request, including requests that do not reach a function. */
  readonly access: LogGroup;
  /** The functions' line for each request: who the caller was, and why the request was rejected. */
  readonly requests: LogGroup;
  /** The actions of admins. This log is separate because it is kept longer. */
  readonly admin: LogGroup;
  /** The lines of background functions. This log is separate because the usage function must not read its own log. */
  readonly usage: LogGroup;

  constructor(scope: Construct, id: string, { stage, access, encryptionKey }: ServiceLogsProps) {
    super(scope, id);
    const log = (name: string, days: number): LogGroup =>
      new LogGroup(this, name, {
        retention: days satisfies RetentionDays,
        removalPolicy: keptIf(stage.keepsData),
        ...(encryptionKey && { encryptionKey }),
      });
    this.access = access;
    this.requests = log("Requests", stage.requestLogDays);
    this.admin = log("Admin", stage.adminLogDays);
    this.usage = log("Usage", stage.requestLogDays);
  }

  /** Returns the log that functions of this kind write to. */
  groupOf(kind: FunctionKind): LogGroup {
    if (kind === "admin" || kind === "admin-http") return this.admin;
    return kind === "usage" || kind === "notices" || kind === "job" ? this.usage : this.requests;
  }
}
