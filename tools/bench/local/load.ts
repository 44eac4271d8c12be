import { connect } from "node:net";

export interface Load {
  requestsPerSecond: number;
  /** Latency in milliseconds, including the opening of the connection. */
  p50: number;
  p99: number;
}

interface LoadOptions {
  baseUrl: string;
  path: string;
  headers: Record<string, string>;
  connections: number;
  /** Ends after this number of requests, */
  requests?: number;
  /** or after this time. */
  seconds?: number;
}

/**
 * Keeps a number of requests in progress. Each has its own connection, because each response of the API closes its connection.
 * Only the status of a response is read, to leave the processors to the service.
 *
 * @throws {Error} at the first response that is not 200.
 */
export const load = async (options: LoadOptions): Promise<Load> => {
  const { baseUrl, path, headers, connections, requests = Number.POSITIVE_INFINITY, seconds = 600 } = options;
  const { hostname, port, host } = new URL(baseUrl);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join("")}\r\n`);

  const once = () =>
    new Promise<void>((resolve, reject) => {
      let head = "";
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      socket.on("data", (chunk) => {
        head ||= chunk.toString("latin1").slice(0, 12);
      });
      socket.on("error", reject);
      socket.on("end", () =>
        head === "HTTP/1.1 200" ? resolve() : reject(new Error(`${path} was answered by ${head}.`)),
      );
    });

  const latencies: number[] = [];
  const start = performance.now();
  let begun = 0;
  const repeat = async () => {
    while (begun < requests && performance.now() - start < seconds * 1000) {
      begun += 1;
      const sent = performance.now();
      await once();
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, repeat));

  const elapsedSeconds = (performance.now() - start) / 1000;
  latencies.sort((left, right) => left - right);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  return { requestsPerSecond: latencies.length / elapsedSeconds, p50: at(0.5), p99: at(0.99) };
};
