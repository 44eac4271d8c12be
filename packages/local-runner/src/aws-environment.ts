/** Stands in for the AWS account and region of a deployment. One place, so that every ARN agrees. */
export interface AwsEnvironment {
  readonly region: string;
  readonly accountId: string;
  readonly partition: string;
  readonly urlSuffix: string;
}

/** The environment that a local run pretends to be. The account number is the one that AWS reserves for no customer. */
export const localAwsEnvironment = (region = "us-east-1"): AwsEnvironment => ({
  region,
  accountId: "000000000000",
  partition: "aws",
  urlSuffix: "amazonaws.com",
});

/**
 * Formats an ARN of the local environment.
 *
 * @example arnOf(environment, "lambda", "function:admin") // arn:aws:lambda:us-east-1:000000000000:function:admin
 */
export const arnOf = ({ partition, region, accountId }: AwsEnvironment, service: string, resource: string): string =>
  `arn:${partition}:${service}:${region}:${accountId}:${resource}`;
