import { AwsClient } from "aws4fetch";

/** Returns a client that signs requests to an AWS service with the rights of the function. */
export const awsClient = (service: "s3" | "sqs"): AwsClient => {
  const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "", AWS_SESSION_TOKEN = "", AWS_REGION = "" } = process.env;
  return new AwsClient({
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
    region: AWS_REGION,
    service,
    retries: 2,
  });
};
