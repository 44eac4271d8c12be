import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { afterAll, afterEach } from "vitest";

/*
 * If a response never arrives, the test fails after four minutes and names the request. Undici itself waits for five minutes, and
 * a test that times out does not say what it was waiting for.
 */

const limitMs = 240_000;

/** What undici reports about a request. */
interface Message {
  request: { method: string; origin: string; path: string };
  socket: Socket;
}

interface PendingRequest {
  name: string;
  since: number;
  timer: NodeJS.Timeout;
}

// Tests replace the global timers.
const { setTimeout, clearTimeout } = globalThis;
const { now } = Date;

const pending = new Map<object, PendingRequest>();

const begin = (message: unknown): void => {
  const { request, socket } = message as Message;
  const { method, origin, path } = request;
  const name = `${method} ${origin}${path}`;
  const timer = setTimeout(() => {
    socket.destroy(new Error(`${name} has had no complete response for ${limitMs / 1000} s.`));
  }, limitMs);
  pending.set(request, { name, since: now(), timer: timer.unref() });
};

const end = (message: unknown): void => {
  const { request } = message as Message;
  clearTimeout(pending.get(request)?.timer);
  pending.delete(request);
};

const listeners = [
  ["undici:client:sendHeaders", begin],
  ["undici:request:trailers", end],
  ["undici:request:error", end],
] as const;

for (const [channel, listener] of listeners) subscribe(channel, listener);
afterAll(() => {
  for (const [channel, listener] of listeners) unsubscribe(channel, listener);
  for (const { timer } of pending.values()) clearTimeout(timer);
  pending.clear();
});

afterEach(({ task }) => {
  const timedOut = task.result?.errors?.find(({ message }) => /^Test timed out in /.test(message));
  if (!timedOut) return;
  const open = [...pending.values()].map(({ name, since }) => `${name}, for ${Math.round((now() - since) / 1000)} s`);
  const children = process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length;
  timedOut.message += `\nRequests without a response: ${open.join("; ") || "none"}. Running child processes: ${children}.`;
});
