import { createHash, createHmac } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { vi } from "vitest";
import { listen } from "../kit/support/listen.ts";

/** A request as received. */
export interface AwsRequest {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  /** `GetItem`, for services that send it in a header. */
  operation: string;
}

export interface StubAnswer {
  /** Default: 200. */
  status?: number;
  headers?: Record<string, string>;
  /** JSON, or a raw text. */
  body: unknown;
}

type AnswerTo = (request: AwsRequest) => StubAnswer | null | Promise<StubAnswer | null>;

/** Stands in for an AWS service. Null closes the connection without a response. */
export const startAwsStub = async (responseTo: AnswerTo) => {
  const requests: AwsRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { method, url, headers } = incoming;
    const operation = String(headers["x-amz-target"]).split(".").at(-1) ?? "";
    const request = { method, path: url, headers, body: await text(incoming), operation };
    requests.push(request);
    const answer = await responseTo(request);
    if (!answer) {
      incoming.socket.destroy();
      return;
    }
    // A test may stop the clock, and a client whose clock differs from the server's signs its request again.
    response.sendDate = false;
    response.writeHead(answer.status ?? 200, {
      "content-type": "application/x-amz-json-1.0",
      "x-amzn-requestid": "request-1",
      ...answer.headers,
    });
    response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
  });
  return {
    url: await listen(server),
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

export interface DynamoDBStub extends Awaited<ReturnType<typeof startAwsStub>> {
  /** For each request, the number of responses that the client had received before sending it. */
  answersBefore: number[];
}

/** Stands in for DynamoDB. While the stub runs, the SDK retries failed requests immediately. */
export const startDynamoDBStub = async (responseTo: AnswerTo): Promise<DynamoDBStub> => {
  const answersBefore: number[] = [];
  let responses = 0;
  const noteRequest = () => void answersBefore.push(responses);
  const noteAnswer = () => {
    responses += 1;
  };
  // The SDK multiplies its retry delay by a random number.
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  subscribe("http.client.request.start", noteRequest);
  subscribe("http.client.response.finish", noteAnswer);
  const stub = await startAwsStub(responseTo);
  return {
    ...stub,
    answersBefore,
    close() {
      random.mockRestore();
      unsubscribe("http.client.request.start", noteRequest);
      unsubscribe("http.client.response.finish", noteAnswer);
      return stub.close();
    },
  };
};

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/**
 * Whether a request has the Signature Version 4 that AWS computes for it (see "Create a signed AWS API request").
 * The signature must cover the headers that identify the caller and the request.
 */
export const isSigned = (
  { method, path = "/", headers, body }: Omit<AwsRequest, "operation">,
  secretAccessKey: string,
): boolean => {
  const [, scope = "", signedHeaders = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  const names = signedHeaders.split(";");
  const proof = ["host", "x-amz-date", "x-amz-security-token", ...("x-amz-target" in headers ? ["x-amz-target"] : [])];
  if (!proof.every((name) => names.includes(name))) return false;

  const canonicalHeaders = names
    .map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, " ")}\n`)
    .join("");
  // Every service except S3 encodes the already encoded path once more.
  const canonicalPath = path.split("/").map(encodeURIComponent).join("/");
  const canonicalRequest = [method, canonicalPath, "", canonicalHeaders, signedHeaders, sha256(body)].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonicalRequest)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, toSign).toString("hex") === signature;
};
