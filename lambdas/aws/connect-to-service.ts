import { AwsClient } from "aws4fetch";
import { requireVariable } from "../environment.ts";

/** The environment variable with the domain of AWS's services: `amazonaws.com` in most regions. */
export const domainVariable = "AWS_DOMAIN";

/** AWS responded with an error. */
export class AwsRefusal extends Error {
  override name = "AwsRefusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface ServiceOptions {
  /** How often a request is repeated if AWS is too busy or fails. */
  retries: number;
}

/** Sends a signed request and returns a successful response. */
export type SendToService = (path: string, request: RequestInit) => Promise<Response>;

/**
 * Connects to a service that a function calls rarely: at its address in the environment (`AWS_ENDPOINT_URL_LAMBDA`), or else at
 * its regular one. The returned function throws `AwsRefusal` if the response is not a success.
 *
 * @param service as signatures name it, such as `lambda`
 * @throws {Error} naming the environment variable that is missing.
 */
export const connectToService = (service: string, { retries }: ServiceOptions): SendToService => {
  const region = requireVariable("AWS_REGION");
  const { AWS_SESSION_TOKEN: sessionToken, [addressVariableOf(service)]: address } = process.env;
  const client = new AwsClient({
    accessKeyId: requireVariable("AWS_ACCESS_KEY_ID"),
    secretAccessKey: requireVariable("AWS_SECRET_ACCESS_KEY"),
    ...(sessionToken && { sessionToken }),
    service,
    region,
    retries,
  });
  const baseUrl = address || `https://${service}.${region}.${requireVariable(domainVariable)}`;

  return async (path, request) => {
    const response = await client.fetch(`${baseUrl}${path}`, { method: "POST", ...request });
    if (response.ok) return response;
    throw new AwsRefusal(response.status, `${service} responded with ${response.status}: ${await response.text()}`);
  };
};

/** The name by which the AWS SDK knows a service. */
const sdkNames: Readonly<Record<string, string>> = { events: "EVENTBRIDGE" };

const addressVariableOf = (service: string): string => `AWS_ENDPOINT_URL_${sdkNames[service] ?? service.toUpperCase()}`;
