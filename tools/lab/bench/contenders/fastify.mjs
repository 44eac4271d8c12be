import awsLambdaFastify from "@fastify/aws-lambda";
import Fastify from "fastify";
import { createKey, listKeys, serve } from "./job.mjs";

const app = Fastify({ logger: false });

app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, async (_request, body) =>
  Object.fromEntries(new URLSearchParams(body)),
);
const answer = async (request, reply, work) => {
  const { status, headers, body } = await serve(request.awsLambda.event, request.headers, work);
  return reply.status(status).headers(headers).send(body);
};
app.get("/api/v1/key", (request, reply) => answer(request, reply, () => listKeys(request.query)));
app.post("/api/v1/key", (request, reply) => answer(request, reply, () => createKey(request.body)));

export const handler = awsLambdaFastify(app, { decorateRequest: true, serializeLambdaArguments: false });
