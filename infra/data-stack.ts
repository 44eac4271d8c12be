import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { EncryptionKey } from "./constructs/data/encryption-key.ts";
import { ServiceTables, type Tables } from "./constructs/data/service-tables.ts";
import { AdminUserPool } from "./constructs/sign-in/user-pool.ts";
import type { Options } from "./stages/options.ts";

interface DataStackProps extends StackProps {
  options: Options;
}

/**
 * Everything that holds data, separate from everything that uses it: no deployment of the API's stack can replace or delete a
 * table or a user. An export of this stack cannot be removed while the other stack uses it.
 */
export class DataStack extends Stack {
  readonly tables: Tables;
  readonly userPool: AdminUserPool;
  /** Encrypts what is stored, if the operator asked for a key of the account. */
  readonly encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, { options, ...props }: DataStackProps) {
    super(scope, id, { ...props, terminationProtection: options.stage.keepsData });

    const { keepsData } = options.stage;
    this.encryptionKey = options.customerManagedKey ? new EncryptionKey(this, "Key", { keepsData }) : undefined;
    this.tables = new ServiceTables(this, "Tables", { keepsData, encryptionKey: this.encryptionKey }).tables;
    this.userPool = new AdminUserPool(this, "AdminUserPool", { keepsData, superuserEmail: options.superuserEmail });
    new CfnOutput(this, "UserPoolId", { value: this.userPool.userPoolId, description: "The user pool of the admins." });
  }
}
