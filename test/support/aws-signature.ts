import { createHash, createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

interface SignedRequest {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * Whether a request has the Signature Version 4 that AWS computes for it (see "Create a signed AWS API request").
 * The signature must cover the headers that identify the caller and the request.
 */
export const isSigned = ({ method, path = "/", headers, body }: SignedRequest, secretAccessKey: string): boolean => {
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
  // Every service but S3 encodes the path, which is encoded already, once more.
  const canonicalPath = path.split("/").map(encodeURIComponent).join("/");
  const canonicalRequest = [method, canonicalPath, "", canonicalHeaders, signedHeaders, sha256(body)].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonicalRequest)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, toSign).toString("hex") === signature;
};
