// The job that all contenders do, on the unmodified SDK: check the token, the Accept header and the input, read or write, and
// return what this service returns. A framework routes the request, parses its headers and its input, and sends the response.

import { createHash } from "node:crypto";
import { DynamoDBClient, GetItemCommand, ScanCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { matchesHash, parseTokenValue } from "../../../../lambdas/domain/tokens/token-value.ts";

const { KEYS_TABLE, TOKENS_TABLE } = process.env;
const client = new DynamoDBClient({});

/** Ends the work with an error response. */
const refuse = (status, body) => {
  throw Object.assign(new Error("refused"), { response: { status, headers: {}, body: JSON.stringify(body) } });
};

/**
 * Checks the headers of a request, does the work, writes a line to the log, and returns the response.
 *
 * @param event the event from API Gateway
 * @param sent the headers, as the framework has parsed them
 */
export const serve = async ({ requestContext, routeKey }, sent, work) => {
  const { requestId, http } = requestContext;
  let response;
  try {
    checkAccept(sent.accept);
    await checkToken(sent["x-token"], http.sourceIp);
    response = await work();
  } catch (error) {
    if (!error.response) throw error;
    response = error.response;
  }
  const line = { level: "INFO", request_id: requestId, route: routeKey, status: response.status };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  return { ...response, headers: { ...commonHeaders, ...response.headers, "X-Request-Id": requestId } };
};

const commonHeaders = {
  "Cache-Control": "no-cache",
  Connection: "close",
  "Content-Type": "application/json",
  "X-Content-Type-Options": "nosniff",
  "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
};

const checkAccept = (accept = "") => {
  const isJson = accept.split(",").some((part) => part.split(";")[0].trim().toLowerCase() === "application/json");
  if (!isJson) refuse(406, { code: "json_required", message: "Send Accept: application/json." });
};

/** Checks a token and the address that it is sent from. */
const checkToken = async (text = "", address) => {
  const sent = parseTokenValue(text);
  if (!sent) refuse(401, { code: "token_invalid", message: "Check the token." });
  const command = new GetItemCommand({
    TableName: TOKENS_TABLE,
    Key: { token_id: { S: sent.token_id } },
    ConsistentRead: true,
  });
  const { Item: token } = await client.send(command);
  const isRight = matchesHash(sent.secret, token?.secret_hash?.S);
  if (!isRight) refuse(401, { code: "token_invalid", message: "Check the token." });
  if (token.revoked_at) refuse(401, { code: "token_revoked", message: "Ask for another token." });
  const hasExpired = token.expires_at && token.expires_at.S <= new Date().toISOString();
  if (hasExpired) refuse(401, { code: "token_expired", message: "Rotate the token." });
  if (token.ip.S !== address) refuse(403, { code: "ip_not_allowed", message: `It cannot be used from ${address}.` });
};

const toKey = (item) =>
  Object.fromEntries(["key_id", "v_code", "created_at", "updated_at"].map((name) => [name, item[name].S]));

/** Returns a page of keys. */
export const listKeys = async ({ limit = "1000", cursor }) => {
  const count = Number(limit);
  const isValid = Number.isInteger(count) && count >= 1 && count <= 1000;
  if (!isValid) refuse(422, { limit: ["The limit must be a whole number from 1 to 1000."] });
  const after = cursor && { key_id: { S: Buffer.from(cursor, "base64url").toString() } };
  const input = { TableName: KEYS_TABLE, ConsistentRead: true, Limit: count + 1, ExclusiveStartKey: after };
  const { Items = [] } = await client.send(new ScanCommand(input));
  const keys = Items.slice(0, count).map(toKey);
  const body = JSON.stringify(keys);
  const next = Buffer.from(keys.at(-1)?.key_id ?? "").toString("base64url");
  const link = Items.length > count ? `</api/v1/key?limit=${count}&cursor=${next}>; rel="next"` : undefined;
  const hash = createHash("sha256").update(body + (link ?? ""));
  const tag = hash.digest("base64url").slice(0, 16);
  return { status: 200, body, headers: { ETag: `W/"${tag}"`, Vary: "Accept-Encoding", ...(link && { Link: link }) } };
};

/** Stores a key unless it exists. */
export const createKey = async ({ key_id, v_code }) => {
  const problems = {};
  if (!/^(?!\.{1,2}$)[^%?\p{Cc}]{1,255}$/u.test(key_id ?? "")) problems.key_id = ["The key_id is not valid."];
  if ([...(v_code ?? "")].length !== 64) problems.v_code = ["The v_code must be 64 characters."];
  if (Object.keys(problems).length > 0) refuse(422, problems);
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
