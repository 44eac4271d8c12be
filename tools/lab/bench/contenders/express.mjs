import serverlessExpress, { getCurrentInvoke } from "@codegenie/serverless-express";
import express from "express";
import { createKey, listKeys, serve } from "./job.mjs";

const app = express();
app.disable("x-powered-by");
app.disable("etag");

const answer = async (request, response, work) => {
  const { status, headers, body } = await serve(getCurrentInvoke().event, request.headers, work);
  response.status(status).set(headers).end(body);
};
app.get("/api/v1/key", (request, response) => answer(request, response, () => listKeys(request.query)));
app.post("/api/v1/key", (request, response) => {
  // Express's own parser does not see the body that the adapter passes on.
  const form = new URLSearchParams(String(request.body));
  return answer(request, response, () => createKey(Object.fromEntries(form)));
});

export const handler = serverlessExpress({ app });
