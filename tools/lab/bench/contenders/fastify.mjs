import awsLambdaFastify from "@fastify/aws-lambda";
import Fastify from "fastify";
import { checkAccept, checkToken, commonHeaders, createKey, listKeys, logRequest, Refusal } from "./job.mjs";

const app = Fastify({ logger: false });

app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, async (_request, body) =>
  Object.fromEntries(new URLSearchParams(body)),
);
app.addHook("preValidation", async ({ headers, awsLambda }) => {
  checkAccept(headers.accept);
  await checkToken(headers["x-token"], awsLambda.event.requestContext.http.sourceIp);
});
app.addHook("onSend", async ({ awsLambda }, reply) => {
  const { requestContext, routeKey } = awsLambda.event;
  reply.headers({ ...commonHeaders, "X-Request-Id": requestContext.requestId });
  logRequest({ request_id: requestContext.requestId, route: routeKey, status: reply.statusCode });
});
app.setErrorHandler((error, _request, reply) => {
  if (error instanceof Refusal) return reply.status(error.status).send(JSON.stringify(error.body));
  throw error;
});
app.get("/api/v1/key", async ({ query }, reply) => {
  const { status, headers, body } = await listKeys(query);
  return reply.status(status).headers(headers).send(body);
});
app.post("/api/v1/key", async ({ body: form }, reply) => {
  const { status, headers, body } = await createKey(form);
  return reply.status(status).headers(headers).send(body);
});

export const handler = awsLambdaFastify(app, { decorateRequest: true, serializeLambdaArguments: false });
