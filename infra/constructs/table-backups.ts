import { Aws, Duration, Stack } from "aws-cdk-lib";
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from "aws-cdk-lib/aws-backup";
import { Schedule } from "aws-cdk-lib/aws-events";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { type Service, slugOf } from "../../lambdas/declaration/service.ts";
import type { Options } from "../stages/options.ts";
import { explain } from "./rule-packs.ts";
import type { ServiceTable } from "./service-tables.ts";

interface TableBackupsProps {
  service: Pick<Service, "name">;
  /** The tables of the stack. */
  tables: readonly ServiceTable[];
  options: Pick<Options, "restoredTables"> & { backupRegion: string };
}

const retention = Duration.days(35);

/**
 * Copies all tables to another region every day, including restored tables. The vaults must already exist, because they must
 * outlive the stack and one of them is in the other region.
 */
export class TableBackups extends Construct {
  constructor(scope: Construct, id: string, { service, tables, options }: TableBackupsProps) {
    super(scope, id);
    const { restoredTables, backupRegion } = options;
    const vaultName = slugOf(service);
    const stack = Stack.of(this);
    const other = `arn:${Aws.PARTITION}:backup:${backupRegion}:${Aws.ACCOUNT_ID}:backup-vault:${vaultName}`;
    const plan = new BackupPlan(this, "Plan", {
      backupVault: BackupVault.fromBackupVaultName(this, "Vault", vaultName),
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: "daily",
          scheduleExpression: Schedule.cron({ hour: "5", minute: "0" }),
          deleteAfter: retention,
          copyActions: [
            { destinationBackupVault: BackupVault.fromBackupVaultArn(this, "Other", other), deleteAfter: retention },
          ],
        }),
      ],
    });
    const inUse = Object.values(restoredTables).flatMap((name) => name ?? []);
    plan.addSelection("Tables", {
      role: this.role(),
      allowRestores: true,
      resources: [
        ...tables.map(({ resource }) => BackupResource.fromArn(resource.tableArn)),
        ...inUse.map((resourceName) =>
          BackupResource.fromArn(stack.formatArn({ service: "dynamodb", resource: "table", resourceName })),
        ),
      ],
    });
  }

  /**
   * Creates the role that makes and restores the copies. Operators can find the role by its path if the region of the stack is
   * lost.
   */
  private role(): Role {
    const role = new Role(this, "Role", {
      path: `/${Stack.of(this).stackName}/`,
      assumedBy: new ServicePrincipal("backup.amazonaws.com"),
    });
    for (const policy of ["Backup", "Restores"]) {
      const name = `service-role/AWSBackupServiceRolePolicyFor${policy}`;
      explain(role, {
        [`AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`]:
          "AWS Backup adapts these policies to what it needs.",
      });
    }
    return role;
  }
}
