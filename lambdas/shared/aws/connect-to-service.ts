import { AwsClient } from "aws4fetch";
import { requireVariable } from "../environment.ts";

/** The environment variable with the domain of AWS services: `amazonaws.com` in most regions. */
export const domainVariable = "AWS_DOMAIN";

/** An error response from AWS. */
export class AwsRefusal extends Error {
  override name = "AwsRefusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface ServiceOptions {
  /** How often a request is retried if AWS is too busy or fails. */
  retries: number;
}

/** Sends a signed request. Resolves with the response if it is successful. */
export type SendToService = (path: string, request: RequestInit) => Promise<Response>;

/**
 * Connects to a service that a function rarely calls. The address comes from the environment (`AWS_ENDPOINT_URL_LAMBDA`); otherwise
 * it is the service's regular address. The returned function throws `AwsRefusal` if the response is not a success.
 *
 * @param service the service's name in signatures, such as `lambda`
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

/** Services that the AWS SDK knows by a different name. */
const sdkNames: Readonly<Record<string, string>> = { events: "EVENTBRIDGE" };

const addressVariableOf = (service: string): string => `AWS_ENDPOINT_URL_${sdkNames[service] ?? service.toUpperCase()}`;
