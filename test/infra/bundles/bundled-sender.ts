// A module of an application that calls another service of AWS.

import { PublishCommand, SNSClient } from "@aws-sdk/client-sns";

export { openKeys } from "./bundled-stores.ts";

export const publish = async (endpoint: string): Promise<string | undefined> =>
  (await new SNSClient({ endpoint }).send(new PublishCommand({ TopicArn: "topic", Message: "ü" }))).MessageId;
