/** The domains of AWS's partitions, by how the names of their regions begin; of all other regions it is `amazonaws.com`. */
const domains: Readonly<Record<string, string>> = {
  "cn-": "amazonaws.com.cn",
  "eusc-": "amazonaws.eu",
  "us-iso-": "c2s.ic.gov",
  "us-isob-": "sc2s.sgov.gov",
  "eu-isoe-": "cloud.adc-e.uk",
  "us-isof-": "csp.hci.ic.gov",
};

/**
 * The address of DynamoDB: the one that the environment names, or else the region's own. The SDK would find the same by
 * its rules, which are 16 KB and weigh every kind of address there is, for each call anew.
 *
 * @throws {Error} if the environment asks for an address with FIPS or for both IPv4 and IPv6, which this knows nothing of.
 */
export const dynamodbEndpoint = (region: string): URL => {
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, AWS_USE_FIPS_ENDPOINT, AWS_USE_DUALSTACK_ENDPOINT } =
    process.env;
  const named = AWS_ENDPOINT_URL_DYNAMODB || AWS_ENDPOINT_URL;
  if (named) return new URL(named);
  if (AWS_USE_FIPS_ENDPOINT === "true" || AWS_USE_DUALSTACK_ENDPOINT === "true") {
    throw new Error("Name DynamoDB's address with FIPS or dual stack as AWS_ENDPOINT_URL_DYNAMODB: see endpoint.ts.");
  }
  return new URL(`https://dynamodb.${region}.${domainOf(region)}`);
};

const domainOf = (region: string): string =>
  Object.entries(domains).find(([beginning]) => region.startsWith(beginning))?.[1] ?? "amazonaws.com";
