import type { Item } from "cdk-local-runner/database";
import { formatTokenText, parseTokenText } from "../../../lambdas/resources/tokens/token-text.ts";
import type { DatabaseRequest } from "../database/database.ts";
import type { Plant } from "../functions.ts";
import { clientAddress } from "../situation.ts";
import {
  type ApiEvent,
  around,
  changingCondition,
  changingUpdate,
  later,
  reading,
  readingIn,
  returning,
  swallowingFailure,
  together,
  type Write,
  without,
  withValue,
  writes,
} from "./seams.ts";

/* Bugs in what clients do with their own tokens: invitations, rotations and moves. */

interface StoredRequest {
  ip: string;
  code: string;
  attempts: number;
  decision?: string;
}

/** A plant that changes how a client's request is read. */
const readingRequest = (change: (request: StoredRequest) => object): Plant =>
  reading("tokens", (item) =>
    item.request?.S === undefined
      ? item
      : { ...item, request: { S: JSON.stringify(change(JSON.parse(item.request.S))) } },
  );

interface Decision {
  action: string;
  ip: string;
  code: string;
}

/** A plant that does not compare this part of a confirmation. */
const confirmingAny = (part: "ip" | "code"): Plant => {
  let confirmed: Decision | undefined;
  return together(
    around("admin", (event, call) => {
      const decision = event as Decision;
      confirmed = decision.action === "confirm" ? decision : undefined;
      return call();
    }),
    readingRequest((request) => (confirmed ? { ...request, [part]: confirmed[part] } : request)),
  );
};

/** A plant that writes another value, which the functions do not notice. */
const writingSecretly = (isMeant: Write, name: string, change: (text: string) => string): Plant => {
  let hidden = "";
  return together(
    withValue(isMeant, name, (text) => {
      hidden = text;
      return change(text);
    }),
    returning(isMeant, (item) => ({ ...item, [name.slice(1)]: { S: hidden } })),
  );
};

/** A plant that stores requests of clients with other values, which the functions do not notice. */
const storingRequest = (changes: Partial<StoredRequest>): Plant =>
  writingSecretly(writes.request, ":request", (text) => JSON.stringify({ ...JSON.parse(text), ...changes }));

const unredeemed = (item: Item): Item => (item.invitation_hash ? without("redeemed_at")(item) : item);

const younger = (item: Item): Item => {
  const move = (name: string) => (item[name]?.S === undefined ? {} : { [name]: { S: later(3_600_000)(item[name].S) } });
  return item.repeat_nonce ? { ...item, ...move("issued_at"), ...move("redeemed_at") } : item;
};

/** Returns another text to a client that gets a token for the second time. */
const answeringAnotherText = (functionName: string): Plant => {
  const seen = new Set<string>();
  return around(functionName, async (_, call) => {
    const response = (await call()) as { statusCode: number; body?: string };
    if (response.statusCode !== 201) return response;
    const body: { token: string; token_id: string } = JSON.parse(response.body ?? "");
    const isFirst = !seen.has(body.token_id);
    seen.add(body.token_id);
    const text = parseTokenText(body.token);
    if (isFirst || !text) return response;
    const token = formatTokenText({ ...text, secret: text.secret.split("").toReversed().join("") });
    return { ...response, body: JSON.stringify({ ...body, token }) };
  });
};

const isMove: Write = (request) =>
  writes.rotation(request) &&
  request.ExpressionAttributeValues?.[":rotated_by"]?.S?.startsWith("token:") === true &&
  request.ExpressionAttributeValues[":rotated_by"].S.endsWith(clientAddress) === false;

export const ownTokenPlants: Readonly<Record<string, () => Plant>> = {
  "a confirmation ignores the address": () => confirmingAny("ip"),
  "a confirmation ignores the code": () => confirmingAny("code"),
  "a text can be derived after its first use": () => changingUpdate(writes.use, / REMOVE .*$/),
  "a text is repeated after its time": () => reading("tokens", younger),
  "an invitation is used twice": () =>
    together(
      reading("tokens", unredeemed),
      changingCondition(writes.redemption, / AND attribute_not_exists\(redeemed_at\)/),
    ),
  "a token moves without a confirmation": () =>
    readingRequest((request) => ({
      ...request,
      decision: "confirmed",
      decided_at: "2026-11-21T10:15:00.000Z",
      decided_by: "nobody",
    })),
  "a move leaves the old token active": () => writingSecretly(isMove, ":expires_at", later(3_600_000)),
  "a shorter grace does not end the old token sooner": () =>
    writingSecretly(writes.shortening, ":expires_at", later(3_600_000)),
  "a repeated call gives another text": () => answeringAnotherText("rotateToken"),
  "a token cannot be revoked from elsewhere": () =>
    around("revokeToken", async (event, call) => {
      const { requestContext } = event as ApiEvent;
      return requestContext.http.sourceIp === clientAddress ? call() : { statusCode: 204, headers: {} };
    }),
  "a rejected request can still be fulfilled": () =>
    readingRequest((request) => (request.decision === "rejected" ? { ...request, decision: "confirmed" } : request)),
  "an address is given the code of another one": () => storingRequest({ code: "777-777" }),
  "a decision that came second is acknowledged": () => ({
    seam: {
      answer(_, answer, { ExpressionAttributeValues: values = {} }) {
        const { Item: item } = answer.body as { Item?: Item };
        const [stored, wanted] = [item?.request, values[":request"]].map((value) => JSON.parse(value?.S ?? "{}"));
        if (!stored.decision || !wanted.decision) return answer;
        const request = { S: JSON.stringify({ ...stored, decision: wanted.decision }) };
        return { ...answer, body: { ...answer.body, Item: { ...item, request } } };
      },
    },
  }),
  "a rotation that fails twice revokes the successor": () => {
    let successor: DatabaseRequest["Key"];
    return {
      seam: {
        request(action, request) {
          if (writes.successor(request)) successor = request.Key;
          return { action, request };
        },
      },
      functions: (functions) => ({
        handler: (name) => async (event, context) => {
          const response = await functions.handler(name)(event, context);
          const isFailed = name === "rotateToken" && (response as { statusCode: number }).statusCode === 503;
          const revocation = { action: "revoke", token_id: successor?.token_id?.S };
          if (isFailed && successor) await functions.handler("admin")(revocation, context);
          return response;
        },
      }),
    };
  },
  "a use leaves what the text can be derived from": () =>
    readingIn("getToken", ({ repeat_nonce, ...token }) =>
      repeat_nonce ? { ...token, last_used_at: token.redeemed_at ?? token.issued_at ?? { S: "" } } : token,
    ),
  "a rotation is dated before an edit that it follows": () =>
    writingSecretly(writes.rotation, ":rotated_at", later(-1_000)),
  "attempts are not counted": () => storingRequest({ attempts: 1 }),
  "a replaced token is not revoked": () =>
    together(
      changingCondition(writes.revocation, / OR attribute_exists\(successor_id\)/),
      swallowingFailure("revokeToken", { status: 204, body: undefined }),
    ),
};
