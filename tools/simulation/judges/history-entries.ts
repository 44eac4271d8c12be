import type { Item } from "cdk-local-runner/database";
import { type Done, tokenIn } from "../answers.ts";
import { requestIdOf } from "../calls.ts";
import { addressOf } from "../situation.ts";
import { fieldOf } from "./outcome.ts";

/** An entry of a history. */
export interface Entry {
  text: string;
  time: string;
  kind: string;
  by: string;
  from: string | null;
  requestId: string;
}

/** A history that has dropped entries has at least this many entries. */
export const keptInHistory = 10;

/** The entries of an item, in order. */
export const entriesIn = (item: Item | undefined): Entry[] =>
  (item?.history?.SS ?? []).toSorted().map((text) => {
    const [time, kind, by, from, requestId] = JSON.parse(text);
    return { text, time, kind, by, from, requestId };
  });

/** A change that an operation makes if it succeeds. */
export interface Expected {
  table: "tokens" | "keys";
  /** Known if the operation or its response names the record. */
  key: string | undefined;
  /** A success has one of these. */
  kinds: readonly string[];
  by: string;
  from: string | null;
  /** Whether a success proves that this operation made the change, rather than finding it made. */
  isCertain: boolean;
}

/** The changes of an operation, derived from its call and its response. */
export const expectedOf = (done: Done): Expected[] => {
  const { operation, answer, token, ifMatch } = done;
  const { call, id } = operation;
  const author = authorOf(done);
  const about = (table: Expected["table"], key: string | undefined, kinds: readonly string[], isCertain = true) => ({
    ...{ table, key, kinds, isCertain },
    ...author,
  });
  const issued = answer && tokenIn(answer.body);
  switch (call.kind) {
    case "create":
      // A key that exists with the same v_code is left unchanged. By invocation, a response has no status.
      return [about("keys", call.key, ["created"], answer?.status === 201)];
    case "replace":
      // With a condition, a key that already has the v_code is left unchanged.
      return [about("keys", call.key, ["replaced"], ifMatch === undefined)];
    case "delete":
      return [about("keys", call.key, ["deleted"])];
    case "issue":
      return [about("tokens", issued?.token_id, ["issued"])];
    case "invite":
      return [about("tokens", issued?.token_id, ["invited"])];
    case "update":
      return [about("tokens", token?.token_id, ["updated"])];
    case "dismiss":
      return [about("tokens", token?.token_id, ["leak_dismissed"], false)];
    case "restore":
      return [about("tokens", token?.token_id, ["leak_restored"], false)];
    case "revoke": {
      const isOwn = fieldOf(answer?.body, "revoked_by") === `invoke:${requestIdOf(id)}`;
      return [about("tokens", token?.token_id, ["revoked"], isOwn)];
    }
    case "rotate":
      return [
        about("tokens", token?.token_id, ["rotated"]),
        about("tokens", issued?.token_id, ["succeeded", "revoked"]),
      ];
    case "rotate own":
      return [
        about("tokens", token?.token_id, ["rotated"], false),
        about("tokens", issued?.token_id, ["succeeded", "revoked"], false),
      ];
    case "move":
      return [
        about("tokens", token?.token_id, ["moved", "requested"], false),
        about("tokens", issued?.token_id, ["succeeded", "revoked"], false),
      ];
    case "redeem":
      return [about("tokens", token?.token_id, ["redeemed", "requested"], false)];
    case "leave":
      return [about("tokens", token?.token_id, ["revoked"], false)];
    case "confirm":
      return [about("tokens", done.request?.token_id, ["confirmed"], false)];
    case "reject":
      return [about("tokens", done.request?.token_id, ["rejected"], false)];
    default:
      return [];
  }
};

/** Who makes a change, and from where. */
const authorOf = ({ operation: { id, call }, token }: Done): Pick<Expected, "by" | "from"> => {
  if ("from" in call) return { by: `token:${token?.token_id}`, from: addressOf(call.from) };
  if ("door" in call && call.door === "api") return { by: `token:${token?.token_id}`, from: token?.ip ?? null };
  return { by: `invoke:${requestIdOf(id)}`, from: null };
};
