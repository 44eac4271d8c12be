import { RemovalPolicy } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnLogGroup, LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { Stage } from "../../stages/stage.ts";
import { nameSuffix } from "../name-suffix.ts";

interface AccessLogProps {
  stage: Stage;
  encryptionKey: IKey | undefined;
}

/**
 * API Gateway's line for each request.
 *
 * API Gateway adds each log that it writes to, by name, to a resource policy of the account, and never removes one. The policy
 * is limited to 5,120 characters, so that repeated deployments can fill it. Names below `/aws/vendedlogs/` need no entry.
 *
 * A log with a name must never be created a second time while the first one is retained. So it belongs to the data stack, which
 * is not rolled back to earlier releases, and its name has the first part of that stack's GUID.
 */
export class AccessLog extends LogGroup {
  constructor(scope: Construct, id: string, { stage, encryptionKey }: AccessLogProps) {
    super(scope, id, {
      logGroupName: `/aws/vendedlogs/integration-api/${stage.name}-${nameSuffix}`,
      retention: stage.requestLogDays satisfies RetentionDays,
      removalPolicy: stage.keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      ...(encryptionKey && { encryptionKey }),
    });
    const resource = this.node.defaultChild;
    if (resource instanceof CfnLogGroup) resource.overrideLogicalId("AccessLog");
  }
}
