/** The domains of AWS's other partitions, by region prefix. */
const domains: Readonly<Record<string, string>> = {
  "cn-": "amazonaws.com.cn",
  "eusc-": "amazonaws.eu",
  "us-iso-": "c2s.ic.gov",
  "us-isob-": "sc2s.sgov.gov",
  "eu-isoe-": "cloud.adc-e.uk",
  "us-isof-": "csp.hci.ic.gov",
};

/** The regions outside the `aws` partition in which each account has its own address. */
const otherRegionsWithAccounts = new Set(["cn-north-1", "cn-northwest-1", "us-gov-east-1", "us-gov-west-1"]);

/**
 * Returns DynamoDB's address: the one in the environment, otherwise the account's own address, otherwise the region's.
 *
 * With the account's own address, requests go straight to the account's data. It exists in most regions, and it contains the
 * account id, which the stack passes as `AWS_ACCOUNT_ID`. The SDK's rules give the same result, but they take 16 KB.
 *
 * @throws {Error} if the environment asks for a FIPS or dual-stack address, which this function does not support, or if the account
 * id is not a 12-digit number.
 */
export const dynamodbEndpoint = (region: string): URL => {
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, AWS_USE_FIPS_ENDPOINT, AWS_USE_DUALSTACK_ENDPOINT } =
    process.env;
  const named = AWS_ENDPOINT_URL_DYNAMODB || AWS_ENDPOINT_URL;
  if (named) return new URL(named);
  if (AWS_USE_FIPS_ENDPOINT === "true" || AWS_USE_DUALSTACK_ENDPOINT === "true") {
    throw new Error("Set AWS_ENDPOINT_URL_DYNAMODB to DynamoDB's FIPS or dual-stack address.");
  }
  const account = hasAccountAddresses(region) ? accountId() : undefined;
  const service = account === undefined ? "dynamodb" : `${account}.ddb`;
  return new URL(`https://${service}.${region}.${domainOf(region) ?? "amazonaws.com"}`);
};

const accountId = (): string | undefined => {
  const { AWS_ACCOUNT_ID, AWS_ACCOUNT_ID_ENDPOINT_MODE } = process.env;
  if (!AWS_ACCOUNT_ID || AWS_ACCOUNT_ID_ENDPOINT_MODE === "disabled") return undefined;
  if (!/^\d{12}$/.test(AWS_ACCOUNT_ID)) throw new Error("AWS_ACCOUNT_ID is not the id of an AWS account (12 digits).");
  return AWS_ACCOUNT_ID;
};

const hasAccountAddresses = (region: string): boolean =>
  otherRegionsWithAccounts.has(region) || (domainOf(region) === undefined && !region.startsWith("us-gov-"));

const domainOf = (region: string): string | undefined =>
  Object.entries(domains).find(([beginning]) => region.startsWith(beginning))?.[1];
