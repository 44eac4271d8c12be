/** The domains of AWS's partitions, by the prefix of their regions. All other regions use `amazonaws.com`. */
const domains: Readonly<Record<string, string>> = {
  "cn-": "amazonaws.com.cn",
  "eusc-": "amazonaws.eu",
  "us-iso-": "c2s.ic.gov",
  "us-isob-": "sc2s.sgov.gov",
  "eu-isoe-": "cloud.adc-e.uk",
  "us-isof-": "csp.hci.ic.gov",
};

/**
 * The address of DynamoDB: the one in the environment, or else the region's own. The SDK's rules give the same result, but
 * they take 16 KB and are evaluated again for each call.
 *
 * @throws {Error} if the environment asks for a FIPS or dual-stack address, which this function does not support.
 */
export const dynamodbEndpoint = (region: string): URL => {
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, AWS_USE_FIPS_ENDPOINT, AWS_USE_DUALSTACK_ENDPOINT } =
    process.env;
  const named = AWS_ENDPOINT_URL_DYNAMODB || AWS_ENDPOINT_URL;
  if (named) return new URL(named);
  if (AWS_USE_FIPS_ENDPOINT === "true" || AWS_USE_DUALSTACK_ENDPOINT === "true") {
    throw new Error("Set AWS_ENDPOINT_URL_DYNAMODB to DynamoDB's FIPS or dual-stack address: see endpoint.ts.");
  }
  return new URL(`https://dynamodb.${region}.${domainOf(region)}`);
};

const domainOf = (region: string): string =>
  Object.entries(domains).find(([beginning]) => region.startsWith(beginning))?.[1] ?? "amazonaws.com";
