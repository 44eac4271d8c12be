// The job that all contenders do, on the SDK as it is installed: check the token, the Accept header and the input, read or write, and
// return what this service returns.

import { createHash } from "node:crypto";
import { DynamoDBClient, GetItemCommand, ScanCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { matchesHash, parseTokenValue } from "../../../../lambdas/domain/tokens/token-value.ts";

const { KEYS_TABLE, TOKENS_TABLE } = process.env;
const client = new DynamoDBClient({});

/** An error response. */
export class Refusal extends Error {
  constructor(status, body) {
    super(body.message ?? "Invalid input.");
    this.status = status;
    this.body = body;
  }
}

const refuse = (status, code, message) => {
  throw new Refusal(status, { code, message });
};

export const commonHeaders = {
  "Cache-Control": "no-cache",
  Connection: "close",
  "Content-Type": "application/json",
  "X-Content-Type-Options": "nosniff",
  "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
};

export const checkAccept = (accept = "") => {
  const isJson = accept.split(",").some((part) => part.split(";")[0].trim().toLowerCase() === "application/json");
  if (!isJson) refuse(406, "json_required", "Send Accept: application/json.");
};

/** Checks a token and the address that it is sent from. */
export const checkToken = async (text = "", address) => {
  const sent = parseTokenValue(text);
  if (!sent) refuse(401, "token_invalid", "Check the token.");
  const command = new GetItemCommand({
    TableName: TOKENS_TABLE,
    Key: { token_id: { S: sent.token_id } },
    ConsistentRead: true,
  });
  const { Item: token } = await client.send(command);
  if (!matchesHash(sent.secret, token?.secret_hash?.S)) refuse(401, "token_invalid", "Check the token.");
  if (token.revoked_at) refuse(401, "token_revoked", "Ask for another token.");
  if (token.expires_at && token.expires_at.S <= new Date().toISOString()) refuse(401, "token_expired", "Rotate it.");
  if (token.ip.S !== address) refuse(403, "ip_not_allowed", `This token cannot be used from ${address}.`);
};

const toKey = ({ key_id, v_code, created_at, updated_at }) => ({
  key_id: key_id.S,
  v_code: v_code.S,
  created_at: created_at.S,
  updated_at: updated_at.S,
});

/** Returns a page of keys, and the headers of the response. */
export const listKeys = async ({ limit = "1000", cursor }) => {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > 1000) {
    throw new Refusal(422, { limit: ["The limit must be a whole number from 1 to 1000."] });
  }
  const after = cursor && { key_id: { S: Buffer.from(cursor, "base64url").toString() } };
  const input = { TableName: KEYS_TABLE, ConsistentRead: true, Limit: count + 1, ExclusiveStartKey: after };
  const { Items = [] } = await client.send(new ScanCommand(input));
  const keys = Items.slice(0, count).map(toKey);
  const body = JSON.stringify(keys);
  const next = Buffer.from(keys.at(-1)?.key_id ?? "").toString("base64url");
  const link = Items.length > count ? `</api/v1/key?limit=${count}&cursor=${next}>; rel="next"` : undefined;
  const tag = createHash("sha256")
    .update(body + (link ?? ""))
    .digest("base64url")
    .slice(0, 16);
  return { status: 200, body, headers: { ETag: `W/"${tag}"`, Vary: "Accept-Encoding", ...(link && { Link: link }) } };
};

/** Stores a key unless it exists. */
export const createKey = async ({ key_id, v_code }) => {
  const problems = {};
  if (!/^(?!\.{1,2}$)[^%?\p{Cc}]{1,255}$/u.test(key_id ?? "")) problems.key_id = ["The key_id is not valid."];
  if ([...(v_code ?? "")].length !== 64) problems.v_code = ["The v_code must be 64 characters."];
  if (Object.keys(problems).length > 0) throw new Refusal(422, problems);
  const now = new Date().toISOString();
  const command = new UpdateItemCommand({
    TableName: KEYS_TABLE,
    Key: { key_id: { S: key_id } },
    UpdateExpression: "SET #v_code = :v_code, #created_at = :created_at, #updated_at = :updated_at",
    ConditionExpression: "attribute_not_exists(key_id)",
    ExpressionAttributeNames: { "#v_code": "v_code", "#created_at": "created_at", "#updated_at": "updated_at" },
    ExpressionAttributeValues: { ":v_code": { S: v_code }, ":created_at": { S: now }, ":updated_at": { S: now } },
    ReturnValues: "ALL_NEW",
  });
  const { Attributes } = await client.send(command);
  const headers = {
    ETag: `"${Date.parse(Attributes.updated_at.S).toString(36)}"`,
    Location: `/api/v1/key/${encodeURIComponent(key_id)}`,
  };
  return { status: 201, body: JSON.stringify(toKey(Attributes)), headers };
};

/** Writes the line that each request leaves in the log. */
export const logRequest = (fields) => process.stdout.write(`${JSON.stringify({ level: "INFO", ...fields })}\n`);
