import { Agent, request } from "node:http";

export interface Answered {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
  calledAt: number;
  answeredAt: number;
}

export interface Outgoing {
  method: string;
  path: string;
  port: number;
  /** The loopback address to call from. */
  from: string;
  token?: string;
  form?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

const agent = new Agent({ keepAlive: false });
const patienceMs = 60_000;

/** Sends a request. The status is 0 if the connection breaks before there is a response. */
export const callFrom = ({ method, path, port, from, token, form, headers, body }: Outgoing): Promise<Answered> => {
  const calledAt = Date.now();
  return new Promise((resolve) => {
    const settle = (status: number, more: Partial<Answered> = {}) =>
      resolve({ status, headers: {}, text: "", ...more, calledAt, answeredAt: Date.now() });
    const outgoing = request({
      host: "127.0.0.1",
      port,
      path,
      method,
      localAddress: from,
      agent,
      timeout: patienceMs,
      headers: {
        accept: "application/json",
        ...(token !== undefined && { "x-token": token }),
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
    });
    outgoing.once("error", () => settle(0)).once("timeout", () => outgoing.destroy());
    outgoing.once("response", (response) => {
      response.toArray().then(
        (chunks: Buffer[]) => {
          const text = Buffer.concat(chunks).toString("utf8");
          settle(response.statusCode ?? 0, { headers: response.headers as Answered["headers"], text });
        },
        () => settle(0),
      );
    });
    outgoing.end(form ? new URLSearchParams(form).toString() : body);
  });
};
