import { Aws } from "aws-cdk-lib";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";

/**
 * Returns the principal of an AWS service, restricted to calls on behalf of this account. docs/decisions/stages.md lists the
 * services that say which account they act for.
 */
export const forThisAccount = (service: "codedeploy" | "scheduler"): ServicePrincipal =>
  new ServicePrincipal(`${service}.amazonaws.com`, {
    conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
  });
