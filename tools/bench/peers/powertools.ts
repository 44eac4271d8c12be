import { Router } from "@aws-lambda-powertools/event-handler/http";
import type { RequestContext } from "@aws-lambda-powertools/event-handler/types";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Caller } from "../../../lambdas/resources/tokens/authenticate.ts";
import * as job from "../job/job.ts";

const app = new Router<{ store: { request: { caller: Caller } } }>({ prefix: "/api/v1" });

const requestContextOf = ({ event }: { event: object }) => (event as APIGatewayProxyEventV2).requestContext;

// Its middlewares do not see error responses, so the common headers are set here.
const send = (reqCtx: Pick<RequestContext, "event" | "get">, { status, headers, body }: job.Answer) => {
  const { requestId, routeKey, http } = requestContextOf(reqCtx);
  job.logRequest({
    requestId,
    route: routeKey,
    sourceIp: http.sourceIp,
    caller: reqCtx.get("caller") as Caller,
    status,
  });
  return { statusCode: status, headers: { ...job.headersOfEveryAnswer, ...headers, "x-request-id": requestId }, body };
};

app.use(async ({ reqCtx, next }) => {
  const { headers } = reqCtx.req;
  job.requireJson(headers.get("accept") ?? undefined);
  reqCtx.set("caller", await job.authenticate(headers.get("x-token") ?? undefined, requestContextOf(reqCtx)));
  await next();
});

app.get("/key", async (reqCtx) =>
  send(reqCtx, await job.listKeys(Object.fromEntries(new URL(reqCtx.req.url).searchParams))),
);
app.post("/key", async (reqCtx) =>
  send(
    reqCtx,
    await job.createKey(Object.fromEntries(new URLSearchParams(await reqCtx.req.text())), reqCtx.get("caller")),
  ),
);
app.errorHandler(Error, async (error, reqCtx) => send(reqCtx, job.answerOf(error)));

export const handler = (event: unknown, context: Context) => app.resolve(event, context);
