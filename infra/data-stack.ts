import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { EncryptionKey } from "./constructs/encryption-key.ts";
import type { Tables } from "./constructs/service-function.ts";
import { ServiceTables } from "./constructs/service-tables.ts";
import { AdminUserPool } from "./constructs/user-pool.ts";
import type { Options } from "./stages/options.ts";

interface DataStackProps extends StackProps {
  options: Options;
}

/**
 * All that holds data, apart from all that uses it: whatever happens to the stack of the API, no deployment of it can replace
 * or delete a table or a user. What it exports cannot be taken away while the other stack uses it.
 */
export class DataStack extends Stack {
  readonly tables: Tables;
  readonly userPool: AdminUserPool;
  /** The key that encrypts what is stored, if the operator wants one of their own. */
  readonly encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, { options, ...props }: DataStackProps) {
    super(scope, id, { ...props, terminationProtection: options.stage.keepsData });

    this.encryptionKey = options.customerManagedKey
      ? new EncryptionKey(this, "Key", { keepsData: options.stage.keepsData })
      : undefined;
    const { keepsData } = options.stage;
    this.tables = new ServiceTables(this, "Tables", { keepsData, encryptionKey: this.encryptionKey }).tables;
    this.userPool = new AdminUserPool(this, "AdminUserPool", { keepsData, superuserEmail: options.superuserEmail });
    new CfnOutput(this, "UserPoolId", { value: this.userPool.userPoolId, description: "The user pool of the admins." });
  }
}
