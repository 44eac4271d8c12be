import { parse } from "node:querystring";
import { configure, getCurrentInvoke } from "@codegenie/serverless-express";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import express, { type ErrorRequestHandler, type Request, type Response } from "express";
import type { Caller } from "../../../lambdas/resources/tokens/authenticate.ts";
import * as job from "../job/job.ts";

const app = express().disable("x-powered-by").disable("etag");

interface Locals {
  event: APIGatewayProxyEventV2;
  caller?: Caller;
}

app.use(async (request: Request, response: Response<unknown, Locals & Record<string, unknown>>, next) => {
  const { event } = getCurrentInvoke() as { event: APIGatewayProxyEventV2 };
  response.locals.event = event;
  response.set({ ...job.headersOfEveryAnswer, "x-request-id": event.requestContext.requestId });
  job.requireJson(request.get("accept"));
  response.locals.caller = await job.authenticate(request.get("x-token"), event.requestContext);
  next();
});

const send = (response: Response, { status, headers, body }: job.Answer) => {
  const { event, caller }: Locals = response.locals as Locals;
  const { requestId, http } = event.requestContext;
  job.logRequest({ requestId, route: event.routeKey, sourceIp: http.sourceIp, caller, status });
  response.status(status).set(headers).end(body);
};

app.get("/api/v1/key", async (request, response) => {
  send(response, await job.listKeys(request.query as Record<string, string>));
});
app.post("/api/v1/key", async (_, response) => {
  // Express's own form parser finds no body behind this adapter.
  const { event, caller }: Locals = response.locals as Locals;
  const { body = "", isBase64Encoded } = event;
  send(response, await job.createKey(parse(isBase64Encoded ? Buffer.from(body, "base64").toString() : body), caller));
});
const onError: ErrorRequestHandler = (error, _request, response, _next) => send(response, job.answerOf(error));
app.use(onError);

export const handler = configure({ app });
