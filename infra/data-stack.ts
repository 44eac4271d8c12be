import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { AccessLog } from "./constructs/data/access-log.ts";
import { EncryptionKey } from "./constructs/data/encryption-key.ts";
import { addLastingExports } from "./constructs/data/lasting-exports.ts";
import { ServiceTables, type Tables } from "./constructs/data/service-tables.ts";
import { NoticeChannels } from "./constructs/notices/notice-channels.ts";
import { AdminUserPool } from "./constructs/sign-in/user-pool.ts";
import type { Options } from "./stages/options.ts";

interface DataStackProps extends StackProps {
  options: Options;
}

/**
 * Everything that holds data or that operators attach things to, separate from everything that uses it: no deployment of the API's stack can replace or delete a
 * table or a user. An export of this stack cannot be removed while the other stack uses it.
 *
 * Without termination protection, which the CDK turns on before the first deployment: a failed one could then not be retried.
 * The resources are protected themselves.
 */
export class DataStack extends Stack {
  readonly tables: Tables;
  readonly userPool: AdminUserPool;
  readonly accessLog: LogGroup;
  readonly notices: NoticeChannels;
  /** Encrypts what is stored or sent, if the operator asked for a key of the account. */
  readonly encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, { options, ...props }: DataStackProps) {
    super(scope, id, props);

    const { stage, noticeEmail: email } = options;
    const { keepsData, requiresMfa } = stage;
    const encryptionKey = options.customerManagedKey ? new EncryptionKey(this, "Key", { keepsData }) : undefined;
    this.encryptionKey = encryptionKey;
    this.tables = new ServiceTables(this, "Tables", { keepsData, encryptionKey }).tables;
    this.userPool = new AdminUserPool(this, "AdminUserPool", { keepsData, requiresMfa });
    this.accessLog = new AccessLog(this, "AccessLog", { stage, encryptionKey });
    this.notices = new NoticeChannels(this, "Notices", { stage, encryptionKey, email });
    new CfnOutput(this, "UserPoolId", { value: this.userPool.userPoolId, description: "The user pool of the admins." });
    addLastingExports(this);
  }
}
