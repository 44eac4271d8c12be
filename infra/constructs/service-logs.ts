import { RemovalPolicy } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Stage } from "../stages/stage.ts";

interface ServiceLogsProps {
  stage: Stage;
  encryptionKey: IKey | undefined;
}

/** Where the service writes what happens: logs that are each asked as a whole. */
export class ServiceLogs extends Construct {
  /** API Gateway's line for each request, also for those that reach no function. */
  readonly access: LogGroup;
  /** The functions' line for each request: who it was, and why it was refused. */
  readonly requests: LogGroup;
  /** What admins did: apart, because it is kept longer. */
  readonly admin: LogGroup;
  /** What went wrong when use was counted: apart, because a function must not read what it writes. */
  readonly usage: LogGroup;

  constructor(scope: Construct, id: string, { stage, encryptionKey }: ServiceLogsProps) {
    super(scope, id);
    const log = (name: string, days: number): LogGroup =>
      new LogGroup(this, name, {
        retention: days satisfies RetentionDays,
        removalPolicy: stage.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
        ...(encryptionKey && { encryptionKey }),
      });
    this.access = log("Access", stage.requestLogDays);
    this.requests = log("Requests", stage.requestLogDays);
    this.admin = log("Admin", stage.adminLogDays);
    this.usage = log("Usage", stage.requestLogDays);
  }
}
