import { Aws, ReferenceStrength } from "aws-cdk-lib";
import { AnyPrincipal, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { fixLogicalId, keptIf } from "./lasting-resources.ts";

interface EncryptionKeyProps {
  /** The title of the service. */
  title: string;
  /** If the data outlives the stack, so does the key, because the data cannot be read without it. */
  keepsData: boolean;
}

/** A customer managed key for tables, logs and alarms in transit. AWS rotates it every year. */
export class EncryptionKey extends Key {
  constructor(scope: Construct, id: string, { title, keepsData }: EncryptionKeyProps) {
    super(scope, id, {
      description: `Encrypts the tables, the logs and the alarms of the ${title}.`,
      enableKeyRotation: true,
      removalPolicy: keptIf(keepsData),
    });
    // The id is fixed, like the ids of the tables, because their data cannot be read without the key.
    fixLogicalId(this, "EncryptionKey");
    // The data stack is deployed first. With a strong reference, the data stack could not remove the key while the other stack
    // still uses it.
    this.applyCrossStackReferenceStrength(ReferenceStrength.WEAK);

    // Anyone with access to a table or a topic may use the key through that resource. The tables and topics are encrypted before
    // the API's stack is deployed, and the functions have no key permission themselves until then.
    this.addToResourcePolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"],
        resources: ["*"],
        conditions: {
          StringEquals: {
            "kms:CallerAccount": Aws.ACCOUNT_ID,
            "kms:ViaService": ["dynamodb", "sns"].map((service) => `${service}.${Aws.REGION}.${Aws.URL_SUFFIX}`),
          },
        },
      }),
    );
    const logGroups = `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:*`;
    this.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal(`logs.${Aws.REGION}.${Aws.URL_SUFFIX}`)],
        actions: ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"],
        resources: ["*"],
        conditions: { ArnLike: { "kms:EncryptionContext:aws:logs:arn": logGroups } },
      }),
    );
    this.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["kms:Decrypt", "kms:GenerateDataKey*"],
        resources: ["*"],
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
    );
  }
}

/**
 * Returns the permission that a function needs to use a table that the key encrypts. It allows access only through DynamoDB, never
 * directly.
 */
export const tableKeyStatement = ({ keyArn }: IKey): PolicyStatement =>
  new PolicyStatement({
    actions: ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey"],
    resources: [keyArn],
    conditions: { StringEquals: { "kms:ViaService": `dynamodb.${Aws.REGION}.${Aws.URL_SUFFIX}` } },
  });
