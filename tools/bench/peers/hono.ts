import { Hono } from "hono";
import { type ApiGatewayRequestContextV2, handle, type LambdaEvent } from "hono/aws-lambda";
import type { Caller } from "../../../lambdas/resources/tokens/authenticate.ts";
import * as job from "../job/job.ts";

interface Environment {
  Bindings: { event: LambdaEvent; requestContext: ApiGatewayRequestContextV2 };
  Variables: { caller?: Caller };
}

const app = new Hono<Environment>().basePath("/api/v1");

app.use(async (c, next) => {
  await next();
  const { requestId, http } = c.env.requestContext;
  for (const [name, value] of Object.entries(job.headersOfEveryAnswer)) c.header(name, value);
  c.header("x-request-id", requestId);
  const route = `${c.req.method} ${c.req.path}`;
  job.logRequest({ requestId, route, sourceIp: http.sourceIp, caller: c.get("caller"), status: c.res.status });
});

app.use(async (c, next) => {
  job.requireJson(c.req.header("accept"));
  c.set("caller", await job.authenticate(c.req.header("x-token"), c.env.requestContext));
  await next();
});

const send = ({ status, headers, body }: job.Answer) => new Response(body === "" ? null : body, { status, headers });

app.get("/key", async (c) => send(await job.listKeys(c.req.query())));
app.post("/key", async (c) =>
  send(await job.createKey(await c.req.parseBody<Record<string, string>>(), c.get("caller"))),
);
app.onError((error) => send(job.answerOf(error)));

export const handler = handle(app);
