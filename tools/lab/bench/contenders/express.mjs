import serverlessExpress, { getCurrentInvoke } from "@codegenie/serverless-express";
import express from "express";
import { checkAccept, checkToken, commonHeaders, createKey, listKeys, logRequest, Refusal } from "./job.mjs";

const app = express();
app.disable("x-powered-by");
app.disable("etag");

app.use(async (request, response, next) => {
  const { requestContext, routeKey } = getCurrentInvoke().event;
  response.on("finish", () => {
    logRequest({ request_id: requestContext.requestId, route: routeKey, status: response.statusCode });
  });
  response.set({ ...commonHeaders, "X-Request-Id": requestContext.requestId });
  checkAccept(request.headers.accept);
  await checkToken(request.headers["x-token"], requestContext.http.sourceIp);
  next();
});
app.get("/api/v1/key", async ({ query }, response) => {
  const { status, headers, body } = await listKeys(query);
  response.status(status).set(headers).end(body);
});
// Express's own parser does not see the body that the adapter passes on.
app.post("/api/v1/key", async (request, response) => {
  const { status, headers, body } = await createKey(Object.fromEntries(new URLSearchParams(String(request.body))));
  response.status(status).set(headers).end(body);
});
app.use((error, _request, response, next) => {
  if (error instanceof Refusal) response.status(error.status).end(JSON.stringify(error.body));
  else next(error);
});

export const handler = serverlessExpress({ app });
