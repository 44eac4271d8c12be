import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
import { createKey, listKeys, serve } from "./job.mjs";

const app = new Hono();

const answer = async (context, work) => {
  const { status, headers, body } = await serve(context.env.event, context.req.header(), work);
  return context.body(body, status, headers);
};
app.get("/api/v1/key", (context) => answer(context, () => listKeys(context.req.query())));
app.post("/api/v1/key", (context) => answer(context, async () => createKey(await context.req.parseBody())));

export const handler = handle(app);
