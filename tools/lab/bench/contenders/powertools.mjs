import { Router } from "@aws-lambda-powertools/event-handler/http";
import { checkAccept, checkToken, commonHeaders, createKey, listKeys, logRequest, Refusal } from "./job.mjs";

const app = new Router();

app.use(async ({ reqCtx, next }) => {
  const { requestContext, routeKey } = reqCtx.event;
  checkAccept(reqCtx.req.headers.get("accept") ?? "");
  await checkToken(reqCtx.req.headers.get("x-token") ?? "", requestContext.http.sourceIp);
  await next();
  const headers = { ...commonHeaders, "X-Request-Id": requestContext.requestId };
  for (const [name, value] of Object.entries(headers)) reqCtx.res.headers.set(name, value);
  logRequest({ request_id: requestContext.requestId, route: routeKey, status: reqCtx.res.status });
});
app.errorHandler(Refusal, async ({ status, body }) => Response.json(body, { status }));
app.get("/api/v1/key", async ({ req }) => {
  const { status, headers, body } = await listKeys(Object.fromEntries(new URL(req.url).searchParams));
  return new Response(body, { status, headers });
});
app.post("/api/v1/key", async ({ req }) => {
  const form = new URLSearchParams(await req.text());
  const { status, headers, body } = await createKey(Object.fromEntries(form));
  return new Response(body, { status, headers });
});

export const handler = (event, context) => app.resolve(event, context);
