import { Hono } from "hono";
import { type ApiGatewayRequestContextV2, handle, type LambdaEvent } from "hono/aws-lambda";
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

interface Environment {
  Bindings: { event: LambdaEvent; requestContext: ApiGatewayRequestContextV2 };
  Variables: { caller?: Caller };
}

const app = new Hono<Environment>().basePath("/api/v1");

app.use(async (c, next) => {
  await next();
  const { requestId, http } = c.env.requestContext;
  for (const [name, value] of Object.entries(headersOfEveryAnswer)) c.header(name, value);
  c.header("x-request-id", requestId);
  const route = `${c.req.method} ${c.req.path}`;
  logRequest({ requestId, route, sourceIp: http.sourceIp, caller: c.get("caller"), status: c.res.status });
});

app.use(async (c, next) => {
  requireJson(c.req.header("accept"));
  c.set("caller", await authenticate(c.req.header("x-token"), c.env.requestContext));
  await next();
});

const send = ({ status, headers, body }: Answer) => new Response(body === "" ? null : body, { status, headers });

app.get("/key", async (c) => send(await listKeys(c.req.query())));
app.post("/key", async (c) => send(await createKey(await c.req.parseBody<Record<string, string>>(), c.get("caller"))));
app.onError((error) => send(answerOf(error)));

export const handler = handle(app);
