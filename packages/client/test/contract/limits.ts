import type { RequestListener } from "node:http";
import { expect } from "vitest";
import type { Call } from "./protocol.ts";
import { busy, describedToken, found, issuedToken, jobOf, json, reply, scripted } from "./services.ts";
import { due, tokenFile } from "./stored-token.ts";
import type { Behaviours } from "./world.ts";

const silent: RequestListener = () => undefined;
/** Sends a string repeatedly, like a service that never finishes its response but never falls silent. */
const dripping =
  (first: string, next: string): RequestListener =>
  (_, { socket }) => {
    socket?.write(first);
    const timer = setInterval(() => socket?.write(next), 20);
    socket?.once("close", () => clearInterval(timer));
  };

export const stalls: Record<string, RequestListener> = {
  "no response": silent,
  "headers that stall": (_, { socket }) => void socket?.write("HTTP/1.1 200 OK\r\nX-A:"),
  "headers that drip": dripping("HTTP/1.1 200 OK\r\nX-A:", "a"),
  "a body that stalls": (_, response) => void response.writeHead(200, json).write("["),
  "a body that drips": dripping("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[", " "),
};

type Operation = Exclude<Call["call"], `open_${string}` | "interrupt">;

/** Lists every operation of a client. */
const operations: { [Name in Operation]: Extract<Call, { call: Name | Operation }> } = {
  get_token: { call: "get_token" },
  get_token_at_once: { call: "get_token_at_once" },
  create_key: { call: "create_key", key_id: "1", v_code: "v" },
  get_key: { call: "get_key", key_id: "1" },
  replace_key: { call: "replace_key", key_id: "1", v_code: "v" },
  delete_key: { call: "delete_key", key_id: "1" },
  pages: { call: "pages" },
  changes: { call: "changes" },
  enrol: { call: "enrol", invitation: "iti_1" },
  rotate: { call: "rotate", grace_seconds: 0 },
  move: { call: "move" },
  revoke: { call: "revoke" },
};

const timedOut = { failure: { kind: "timeout" }, retries: [] };

const read = found(describedToken);

/** The time limit of a call, whatever it waits for. */
export const limits: Behaviours = {
  "times out and closes the connection, however the response stalls": async (world) => {
    for (const [name, stall] of Object.entries(stalls)) {
      for (const call of name === "no response" ? Object.values(operations) : [operations.get_key]) {
        const closed: Promise<unknown>[] = [];
        const watched: RequestListener = (request, response) => {
          closed.push(new Promise((resolve) => request.socket.once("close", resolve)));
          stall(request, response);
        };
        const { client } = await world.scripted(Array(8).fill(watched), { timeout_seconds: 0.3 });
        expect(await client(call), `${call.call}, ${name}`).toMatchObject(timedOut);
        expect(closed.length).toBeGreaterThan(0);
        await Promise.all(closed);
      }
    }
  },

  "has one time limit for all attempts of a call": async ({ scripted }) => {
    const slow: RequestListener = (request, response) => void setTimeout(() => busy(503)(request, response), 300);
    const retry = { attempts: 50 };
    const { client, requests } = await scripted(Array(50).fill(slow), { timeout_seconds: 1, retry });
    expect((await client(operations.get_key)).failure).toBeDefined();
    expect(requests.length).toBeLessThan(5);
  },

  "reports the service's response if the time limit leaves no time to wait": async ({ scripted }) => {
    for (const call of [operations.get_key, operations.rotate]) {
      const { client } = await scripted([busy(503, { "retry-after": "20" })], { timeout_seconds: 10 });
      expect(await client(call)).toMatchObject({ failure: { status: 503 }, retries: [] });
    }
  },

  "returns a response even if the rotation after it gets none": async (world) => {
    const file = await tokenFile();
    await file.store("itk_1_secret", due);
    const { baseUrl } = await scripted(read, silent);
    // Runs in a separate program, because the rotation fails after the call has returned.
    const { client } = await world.start({ base_url: baseUrl, timeout_seconds: 1 });
    await client({ call: "open_kept", file: file.path });
    expect(await client(operations.get_token)).toMatchObject({ value: describedToken });
    expect((await file.read()).token).toBe("itk_1_secret");
  },

  "abandons an exchange or a JWT that takes too long, and starts over for the next call": async ({ scripted }) => {
    const lifetime = { issued_at: new Date().toISOString(), expires_at: "2099-01-01T00:00:00.000Z" };
    const jwt = found({ value: "eyJ1" });
    const exchanged = reply(201, { ...issuedToken("T1"), ...lifetime });
    for (const [responses, options] of [
      [[silent, jwt, exchanged, read], {}],
      [[jwt, silent, jwt, exchanged, read], {}],
      [[exchanged, read], { is_stuck: true }],
    ] as const) {
      const { client, baseUrl } = await scripted([...responses], { timeout_seconds: 0.5 });
      await client({ call: "open_workload", environment: jobOf(`${baseUrl}/jwt?a=b`), ...options });
      expect(await client(operations.get_token)).toEqual(timedOut);
      expect(await client(operations.get_token)).toMatchObject({ value: describedToken });
    }
  },
};
