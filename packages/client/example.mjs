/*
 * Typical calls of an integrator, against a running service:
 *
 *   BASE_URL=http://127.0.0.1:3000 TOKEN=itk_… node node_modules/integration-api-client/example.mjs
 *
 * The keys that it creates are deleted at the end.
 */
import { createIntegrationClient, PreconditionFailed, ValidationFailed } from "integration-api-client";

const variable = (/** @type {string} */ name) => {
  const value = process.env[name];
  if (value) return value;
  console.error(`Set ${name} in the environment. BASE_URL=http://127.0.0.1:3000 TOKEN=itk_… node ${process.argv[1]}`);
  process.exit(1);
};

/** Simulates a busy service: the first response is a made-up 503, to show a retry. Only for this example. */
const busyAtFirst = () => {
  let calls = 0;
  return async (/** @type {Request} */ request) =>
    ++calls === 1 ? new Response(null, { status: 503, headers: { "Retry-After": "1" } }) : fetch(request);
};

const client = createIntegrationClient({
  baseUrl: variable("BASE_URL"),
  token: variable("TOKEN"),
  fetch: busyAtFirst(),
  retry: {
    onRetry: ({ status, attempt, waitMilliseconds }) =>
      console.log(`  (attempt ${attempt} got ${status}: waiting ${waitMilliseconds} ms, because of Retry-After)`),
  },
});

console.log("Who am I? The first response is a simulated 503, to show the retry.");
const { token_id, ip, expires_at } = await client.GET("/api/v1/token");
console.log(
  `  token ${token_id}, bound to ${ip}, ${expires_at === null ? "does not expire" : `valid until ${expires_at}`}`,
);

console.log("Create keys.");
const keyIds = ["example-1", "example-2", "example-3"];
for (const key_id of keyIds) {
  const key = await client.POST("/api/v1/key", { body: { key_id, v_code: key_id.padEnd(64, ".") } });
  console.log(`  ${key.key_id}, created at ${key.created_at}`);
}

console.log("List the keys, page by page.");
const limit = Number(process.env.LIMIT ?? 100);
let pages = 0;
for await (const page of client.pages("/api/v1/key", { params: { query: { limit } } })) {
  console.log(`  page ${++pages}: ${page.map(({ key_id }) => key_id).join(", ")}`);
}

console.log("Send a v_code that is too short.");
try {
  await client.PUT("/api/v1/key/{key_id}", { params: { path: { key_id: "example-1" } }, body: { v_code: "short" } });
} catch (error) {
  if (!(error instanceof ValidationFailed)) throw error;
  for (const [field, messages] of Object.entries(error.fields)) console.log(`  ${field}: ${messages.join(" ")}`);
}

console.log("Replace a key that somebody else has replaced since it was read.");
const params = { path: { key_id: "example-2" } };
const read = await client.GET("/api/v1/key/{key_id}", { params });
await client.PUT("/api/v1/key/{key_id}", { params, body: { v_code: "theirs".padEnd(64, ".") } });
try {
  await client.PUT("/api/v1/key/{key_id}", { params, body: { v_code: "ours".padEnd(64, ".") }, ifUnchanged: read });
} catch (error) {
  if (!(error instanceof PreconditionFailed)) throw error;
  console.log(`  ${error.code}: nothing was overwritten`);
}

console.log("Delete the keys again.");
for (const key_id of keyIds) await client.DELETE("/api/v1/key/{key_id}", { params: { path: { key_id } } });
console.log("  done");
