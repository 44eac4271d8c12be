/** The AWS account and region that a local run simulates. */
export interface AwsEnvironment {
  region: string;
  accountId: string;
  partition: string;
  urlSuffix: string;
}

/** Returns the environment of local runs. AWS never assigns this account number to a customer. */
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

/** How functions connect to the database and with which identity. */
export interface DatabaseAccess {
  region: string;
  endpoint: string;
  /** The keys to sign with. By default, a function signs with its name, so that the embedded database can identify it. */
  credentials?: {
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken?: string;
  };
}

const compiled = new Map<string, RegExp>();

/**
 * Matches a text against an IAM pattern, in which `*` stands for any characters and `?` for exactly one.
 *
 * @example matchesPattern("arn:aws:dynamodb:*:*:table/Keys", "arn:aws:dynamodb:us-east-1:000000000000:table/Keys") // true
 */
export const matchesPattern = (pattern: string, text: string): boolean => {
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".");
    expression = new RegExp(`^${source}$`, "s");
    compiled.set(pattern, expression);
  }
  return expression.test(text);
};
