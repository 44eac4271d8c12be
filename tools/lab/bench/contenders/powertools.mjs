import { Router } from "@aws-lambda-powertools/event-handler/http";
import { createKey, listKeys, serve } from "./job.mjs";

const app = new Router();

const answer = async ({ event, req }, work) => {
  const { status, headers, body } = await serve(event, Object.fromEntries(req.headers), work);
  return new Response(body, { status, headers });
};
app.get("/api/v1/key", (context) => {
  const { searchParams } = new URL(context.req.url);
  return answer(context, () => listKeys(Object.fromEntries(searchParams)));
});
app.post("/api/v1/key", (context) =>
  answer(context, async () => createKey(Object.fromEntries(new URLSearchParams(await context.req.text())))),
);

export const handler = (event, context) => app.resolve(event, context);
