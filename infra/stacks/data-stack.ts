import { Aspects, CfnOutput, CfnResource, Stack, type StackProps } from "aws-cdk-lib";
import { CfnGlobalTable } from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { type Service, slugOf } from "../../lambdas/declaration/service.ts";
import { EncryptionKey } from "../constructs/encryption-key.ts";
import { fixLogicalId, keptIf, nameSuffix } from "../constructs/lasting-resources.ts";
import { NoticeChannels } from "../constructs/notice-channels.ts";
import { addGuardFunction, OptionsGuard } from "../constructs/options-guard.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import { type ServiceTable, ServiceTables } from "../constructs/service-tables.ts";
import { TableBackups } from "../constructs/table-backups.ts";
import { AdminUserPool } from "../constructs/user-pool.ts";
import type { Options } from "../stages/options.ts";
import type { Stage } from "../stages/stage.ts";

interface DataStackProps extends StackProps {
  service: Service;
  options: Options;
  /** The folder with the code of the function that guards options. */
  guardFolder: string;
  /** The stores whose tables have a stream. */
  streams: readonly string[];
}

/**
 * Contains everything that holds data or that operators attach their own resources to. It is separate from the API's stack, so that
 * no deployment of the API's stack can replace or delete a table or a user. An export of this stack cannot be removed while the
 * other stack uses it.
 *
 * The stack has no termination protection. The CDK would turn it on before the first deployment, so a failed first deployment could
 * not be retried. The resources themselves are protected.
 */
export class DataStack extends Stack {
  readonly tables: readonly ServiceTable[];
  readonly userPool: AdminUserPool;
  readonly accessLog: LogGroup;
  readonly notices: NoticeChannels;
  /** The key for stored and sent data, if the operator asked for a customer managed key. */
  readonly encryptionKey: IKey | undefined;
  /** The function that guards the options of both stacks. */
  readonly guard: ServiceFunction;

  constructor(scope: Construct, id: string, { service, options, guardFolder, streams, ...props }: DataStackProps) {
    super(scope, id, props);

    const { stage, noticeEmail: email, customerManagedKey } = options;
    const apiStack = this.stackName.replace(/-data$/, "");
    const stackNames = [this.stackName, apiStack];
    this.guard = addGuardFunction(this, { bundleFolder: guardFolder, stackNames, stage });
    const data = { tables: service.tables, apiStack };
    new OptionsGuard(this, "OptionsGuard", { guard: this.guard, options, data, isFirst: !options.forImport });
    const { keepsData, requiresMfa } = stage;
    const { title } = service;
    const encryptionKey = customerManagedKey ? new EncryptionKey(this, "Key", { title, keepsData }) : undefined;
    this.encryptionKey = encryptionKey;
    const declared = service.tables;
    this.tables = new ServiceTables(this, "Tables", { declared, keepsData, encryptionKey, streams }).tables;
    this.userPool = new AdminUserPool(this, "AdminUserPool", { title, keepsData, requiresMfa });
    this.accessLog = new AccessLog(this, "AccessLog", { service, stage, encryptionKey });
    this.notices = new NoticeChannels(this, "Notices", { service, stage, encryptionKey, email });
    const { backupRegion } = options;
    if (backupRegion !== undefined) {
      new TableBackups(this, "Backups", { service, tables: this.tables, options: { ...options, backupRegion } });
    }
    new CfnOutput(this, "UserPoolId", { value: this.userPool.userPoolId, description: "The user pool of the admins." });
    // An application may add resources until the synthesis.
    Aspects.of(this).add({ visit: (node) => node === this && addLastingExports(this) });
  }
}

interface AccessLogProps {
  service: Pick<Service, "name">;
  stage: Stage;
  encryptionKey: IKey | undefined;
}

/**
 * API Gateway's line for each request.
 *
 * API Gateway adds the name of each log that it writes to a resource policy of the account, and never removes it. The policy is
 * limited to 5,120 characters, so repeated deployments can fill it. Log names below `/aws/vendedlogs/` need no entry.
 *
 * A log with a fixed name must never be created again while the first one is retained. Therefore the log belongs to the data stack,
 * which is not rolled back to earlier releases, and its name contains the first part of that stack's GUID.
 */
export class AccessLog extends LogGroup {
  constructor(scope: Construct, id: string, { service, stage, encryptionKey }: AccessLogProps) {
    super(scope, id, {
      logGroupName: `/aws/vendedlogs/${slugOf(service)}/${stage.name}-${nameSuffix}`,
      retention: stage.requestLogDays satisfies RetentionDays,
      removalPolicy: keptIf(stage.keepsData),
      ...(encryptionKey && { encryptionKey }),
    });
    fixLogicalId(this, "AccessLog");
  }
}

/**
 * The outputs that a stack always exports, whether or not another stack currently uses them.
 *
 * The CDK exports only values that the other stack of the same version uses. An upgrade deploys the data stack first, while the
 * API's stack is still at the earlier version. A rollback deploys only the API's stack of the earlier version. An export must
 * therefore be kept as long as any release uses it. test/infra/released-data.test.ts compares the exports with the recorded
 * releases.
 */
const lastingAttributes: Readonly<Record<string, readonly string[]>> = {
  "AWS::Cognito::UserPool": ["Ref", "ProviderURL"],
  "AWS::DynamoDB::GlobalTable": ["Ref", "Arn"],
  "AWS::DynamoDB::Table": ["Ref", "Arn"],
  "AWS::Events::EventBus": ["Ref", "Arn"],
  "AWS::KMS::Key": ["Arn"],
  "AWS::Lambda::Function": ["Arn"],
  "AWS::Logs::LogGroup": ["Ref", "Arn"],
  "AWS::S3::Bucket": ["Ref", "Arn"],
  "AWS::SNS::Topic": ["Ref"],
  "AWS::SQS::Queue": ["Ref", "Arn"],
};

/** Exports the lasting attributes of all resources in a stack. */
export const addLastingExports = (stack: Stack): void => {
  const resources = stack.node.findAll().filter((construct) => CfnResource.isCfnResource(construct));
  for (const resource of resources) {
    const hasStream = resource instanceof CfnGlobalTable && resource.streamSpecification !== undefined;
    const attributes = lastingAttributes[resource.cfnResourceType] ?? [];
    for (const attribute of [...attributes, ...(hasStream ? ["StreamArn"] : [])]) {
      stack.exportValue(attribute === "Ref" ? resource.ref : resource.getAtt(attribute));
    }
  }
};
