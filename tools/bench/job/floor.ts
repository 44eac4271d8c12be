import { parse } from "node:querystring";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Caller } from "../../../lambdas/resources/tokens/authenticate.ts";
import * as job from "./job.ts";

/** No framework: the floor that the others are measured against. */
export const handler = async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  const { headers, requestContext, routeKey, body = "", isBase64Encoded } = event;
  const { sourceIp } = requestContext.http;
  let caller: Caller | undefined;
  let answer: job.Answer;
  try {
    job.requireJson(headers.accept);
    caller = await job.authenticate(headers["x-token"], requestContext);
    answer =
      routeKey === "POST /api/v1/key"
        ? await job.createKey(parse(isBase64Encoded ? Buffer.from(body, "base64").toString() : body), caller)
        : await job.listKeys(event.queryStringParameters ?? {});
  } catch (error) {
    answer = job.answerOf(error);
  }
  job.logRequest({ requestId: requestContext.requestId, route: routeKey, sourceIp, caller, status: answer.status });
  return {
    statusCode: answer.status,
    headers: { ...job.headersOfEveryAnswer, ...answer.headers, "x-request-id": requestContext.requestId },
    body: answer.body,
  };
};
