import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
import { checkAccept, checkToken, commonHeaders, createKey, listKeys, logRequest, Refusal } from "./job.mjs";

const app = new Hono();

app.use(async (context, next) => {
  const { requestId, http } = context.env.requestContext;
  checkAccept(context.req.header("accept"));
  await checkToken(context.req.header("x-token"), http.sourceIp);
  await next();
  for (const [name, value] of Object.entries({ ...commonHeaders, "X-Request-Id": requestId }))
    context.header(name, value);
  logRequest({ request_id: requestId, route: context.env.event.routeKey, status: context.res.status });
});
app.onError((error, context) => {
  if (error instanceof Refusal) return context.json(error.body, error.status);
  throw error;
});
app.get("/api/v1/key", async (context) => {
  const { status, headers, body } = await listKeys(context.req.query());
  return context.body(body, status, headers);
});
app.post("/api/v1/key", async (context) => {
  const { status, headers, body } = await createKey(await context.req.parseBody());
  return context.body(body, status, headers);
});

export const handler = handle(app);
