import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createIntegrationClient, enrol } from "../src/index.ts";
import type { Retry } from "../src/retry.ts";
import { failureOf, scripted } from "./support/scripted-service.ts";

const issued = {
  token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  ip: "127.0.0.1",
  issued_at: "2026-11-21T10:15:30.123Z",
  expires_at: null,
};

const answer = (status: number, body: object) => (_: unknown, response: ServerResponse) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

test("the text of a new token can be read, but does not get into JSON, copies or logs", async () => {
  const { baseUrl } = await scripted(answer(201, { ...issued, token: "itk_secret" }));
  const token = await enrol({ baseUrl, invitation: "iti_1", onConfirmation: () => {} });

  expect(token.token).toBe("itk_secret");
  expect(JSON.parse(JSON.stringify(token))).toEqual(issued);
  expect({ ...token }).toEqual(issued);
});

test("a lost answer is reported with the status 0 before the call is repeated", async () => {
  const { baseUrl } = await scripted(
    (_, response) => void response.socket?.destroy(),
    answer(201, { ...issued, token: "itk_2" }),
  );
  const reported: Retry[] = [];
  const retry = { onRetry: (retry: Retry) => void reported.push(retry), wait: async () => undefined };
  const client = createIntegrationClient({ baseUrl, token: "itk_1", retry });
  await client.rotate({ graceSeconds: 60 });

  expect(reported).toMatchObject([{ method: "POST", status: 0, attempt: 1 }]);
});

test("a cancelled call for a token is not repeated, and a cancelled wait for an admin ends", async () => {
  const expires_at = "2099-01-01T00:00:00.000Z";
  const { baseUrl, requests } = await scripted(
    () => undefined,
    answer(202, { ip: "127.0.0.1", code: "K7P-4XQ", expires_at }),
  );
  const client = createIntegrationClient({ baseUrl, token: "itk_1" });
  const silent = new AbortController();
  const rotation = failureOf(client.rotate({ graceSeconds: 60, signal: silent.signal }));
  await expect.poll(() => requests.length).toBe(1);
  silent.abort();
  expect(await rotation).toMatchObject({ name: "AbortError" });

  const waiting = new AbortController();
  const move = client.move({ signal: waiting.signal, onConfirmation: () => waiting.abort() });
  expect(await failureOf(move)).toMatchObject({ name: "AbortError" });
  expect(requests).toHaveLength(2);
});

test("a call ends with the error of the callback that could not tell the code", async () => {
  const { baseUrl } = await scripted(
    answer(202, { ip: "127.0.0.1", code: "K7P-4XQ", expires_at: "2099-01-01T00:00Z" }),
  );
  const onConfirmation = async () => {
    throw new Error("The message was not sent.");
  };
  const failure = await failureOf(enrol({ baseUrl, invitation: "iti_1", onConfirmation }));
  expect(failure).toMatchObject({ message: "The message was not sent." });
});
