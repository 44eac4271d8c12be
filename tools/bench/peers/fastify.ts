import awsLambdaFastify from "@fastify/aws-lambda";
import formbody from "@fastify/formbody";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import type { Caller } from "../../../lambdas/resources/tokens/authenticate.ts";
import * as job from "../job/job.ts";

declare module "fastify" {
  interface FastifyRequest {
    awsLambda: { event: APIGatewayProxyEventV2 };
    caller: Caller | undefined;
  }
}

const app = fastify();
app.register(formbody);
app.decorateRequest("caller", undefined);

app.addHook("onRequest", async (request, reply) => {
  const { requestContext } = request.awsLambda.event;
  reply.headers({ ...job.headersOfEveryAnswer, "x-request-id": requestContext.requestId });
  job.requireJson(request.headers.accept);
  const [tokenText] = [request.headers["x-token"]].flat();
  request.caller = await job.authenticate(tokenText, requestContext);
});

const send = (request: FastifyRequest, reply: FastifyReply, { status, headers, body }: job.Answer) => {
  const { requestContext, routeKey } = request.awsLambda.event;
  const { requestId, http } = requestContext;
  job.logRequest({ requestId, route: routeKey, sourceIp: http.sourceIp, caller: request.caller, status });
  return reply.code(status).headers(headers).send(body);
};

app.get("/api/v1/key", async (request, reply) =>
  send(request, reply, await job.listKeys(request.query as Record<string, string>)),
);
app.post("/api/v1/key", async (request, reply) =>
  send(request, reply, await job.createKey(request.body as Record<string, string>, request.caller)),
);
app.setErrorHandler((error, request, reply) => send(request, reply, job.answerOf(error)));

const proxy = awsLambdaFastify(app);

export const handler = (event: APIGatewayProxyEventV2, context: Context) => proxy(event, context);
