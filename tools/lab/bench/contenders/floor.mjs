// The floor: a bare handler, without a framework.

import { checkAccept, checkToken, commonHeaders, createKey, listKeys, logRequest, Refusal } from "./job.mjs";

const serve = async ({ headers, requestContext, queryStringParameters = {}, body, isBase64Encoded }) => {
  checkAccept(headers.accept);
  await checkToken(headers["x-token"], requestContext.http.sourceIp);
  if (requestContext.http.method === "GET") return listKeys(queryStringParameters);
  const form = new URLSearchParams(isBase64Encoded ? Buffer.from(body, "base64").toString() : body);
  return createKey(Object.fromEntries(form));
};

export const handler = async (event) => {
  const response = await serve(event).catch((error) => {
    if (error instanceof Refusal) return { status: error.status, headers: {}, body: JSON.stringify(error.body) };
    throw error;
  });
  const { requestId } = event.requestContext;
  logRequest({ request_id: requestId, route: event.routeKey, status: response.status });
  const headers = { ...commonHeaders, ...response.headers, "X-Request-Id": requestId };
  return { statusCode: response.status, headers, body: response.body };
};
