import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { type AccessControl, denialOf } from "../database/access-control.ts";
import { type AwsEnvironment, arnOf } from "../support/aws-environment.ts";
import { sendJson } from "../support/http-listener.ts";
import { jsonOrUndefined } from "../support/json.ts";
import * as z from "../support/zod.ts";

export interface ParameterContext {
  environment: AwsEnvironment;
  accessControl: AccessControl;
  /** Returns the value of a parameter; undefined if it doesn't exist. */
  parameters: (name: string) => string | undefined;
  onUnsupported: (request: { functionName: string; what: string }) => void;
}

/** The supported requests, with the documented number of names. */
const requestSchema = z.strictObject({
  Names: z.array(z.string().check(z.minLength(1))).check(z.minLength(1), z.maxLength(10)),
  WithDecryption: z.optional(z.boolean()),
});

interface ParameterRequest {
  headers: IncomingHttpHeaders;
  body: string;
  response: ServerResponse;
}

/** Handles the Parameter Store's `GetParameters`. Every parameter is a `SecureString`. */
export const answerGetParameters = ({ headers, body, response }: ParameterRequest, context: ParameterContext) => {
  const { environment, accessControl, parameters, onUnsupported } = context;
  const answer = (status: number, value: object): void =>
    sendJson(response.setHeader("x-amzn-requestid", randomUUID()), status, value, "application/x-amz-json-1.1");

  const target = String(headers["x-amz-target"]);
  const { data } = requestSchema.safeParse(jsonOrUndefined(body));
  if (target !== "AmazonSSM.GetParameters" || !data?.WithDecryption) {
    const what = `${target} of the Parameter Store, except GetParameters with up to 10 Names and WithDecryption`;
    const functionName = accessControl.functionOf(headers);
    if (functionName !== undefined) onUnsupported({ functionName, what });
    return answer(400, { __type: "NotSupportedLocally", message: `A local run does not support ${what}.` });
  }
  const action = "ssm:GetParameters";
  for (const name of data.Names) {
    const resource = arnOf(environment, "ssm", `parameter/${name.replace(/^\//, "")}`);
    const missing = accessControl.missingRight({ headers, action, resource });
    if (missing) return answer(400, { __type: "AccessDeniedException", Message: denialOf(missing, environment) });
  }
  const values = data.Names.map((Name) => ({ Name, Type: "SecureString", Value: parameters(Name), Version: 1 }));
  answer(200, {
    Parameters: values.filter(({ Value }) => Value !== undefined),
    InvalidParameters: values.filter(({ Value }) => Value === undefined).map(({ Name }) => Name),
  });
};
