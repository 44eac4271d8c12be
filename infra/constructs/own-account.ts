import { Aws } from "aws-cdk-lib";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";

/**
 * A service of AWS that acts for this account, and not for somebody else's: see docs/decisions/stages.md for the services that
 * say for whom they act.
 */
export const forThisAccount = (service: "codedeploy" | "scheduler"): ServicePrincipal =>
  new ServicePrincipal(`${service}.amazonaws.com`, {
    conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
  });
