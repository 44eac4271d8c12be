// The floor: a bare handler, without a framework.

import { createKey, listKeys, serve } from "./job.mjs";

export const handler = async (event) => {
  const { headers, requestContext, queryStringParameters = {}, body, isBase64Encoded } = event;
  const work = () => {
    if (requestContext.http.method === "GET") return listKeys(queryStringParameters);
    const form = new URLSearchParams(isBase64Encoded ? Buffer.from(body, "base64").toString() : body);
    return createKey(Object.fromEntries(form));
  };
  const { status, ...response } = await serve(event, headers, work);
  return { statusCode: status, ...response };
};
