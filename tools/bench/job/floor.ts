import { parse } from "node:querystring";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Caller } from "../../../lambdas/resources/tokens/authenticate.ts";
import {
  type Answer,
  answerOf,
  authenticate,
  createKey,
  headersOfEveryAnswer,
  listKeys,
  logRequest,
  requireJson,
} from "../job/job.ts";

/** No framework: the floor that the others are measured against. */
export const handler = async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  const { headers, requestContext, routeKey, body = "", isBase64Encoded } = event;
  const { sourceIp } = requestContext.http;
  let caller: Caller | undefined;
  let answer: Answer;
  try {
    requireJson(headers.accept);
    caller = await authenticate(headers["x-token"], requestContext);
    answer =
      routeKey === "POST /api/v1/key"
        ? await createKey(parse(isBase64Encoded ? Buffer.from(body, "base64").toString() : body), caller)
        : await listKeys(event.queryStringParameters ?? {});
  } catch (error) {
    answer = answerOf(error);
  }
  logRequest({ requestId: requestContext.requestId, route: routeKey, sourceIp, caller, status: answer.status });
  return {
    statusCode: answer.status,
    headers: { ...headersOfEveryAnswer, ...answer.headers, "x-request-id": requestContext.requestId },
    body: answer.body,
  };
};
