import type { Item } from "cdk-local-runner/database";
import type { DatabaseAnswer } from "../database/database.ts";
import type { Handler, Plant } from "../functions.ts";
import type { Answer } from "../situation.ts";

/** A plant that changes the items that the functions read from a table. */
export const reading = (table: string, change: (item: Item) => Item | undefined): Plant => ({
  seam: {
    answer(action, answer, { TableName }) {
      if (TableName !== table || answer.status !== 200) return answer;
      const { Item: item, Items: items } = answer.body as { Item?: Item; Items?: Item[] };
      if (action === "GetItem" && item) return { ...answer, body: withItem(change(item)) };
      if (action !== "Scan" || !items) return answer;
      return { ...answer, body: { ...answer.body, Items: items.flatMap((one) => list(change(one))) } };
    },
  },
});

const list = (item: Item | undefined): Item[] => (item ? [item] : []);

const withItem = (item: Item | undefined): object => (item ? { Item: item } : {});

/** A plant that serves all reads of a record from the first one, as a cache does. */
export const cached = (table: string): Plant => {
  const known = new Map<string, DatabaseAnswer>();
  return {
    seam: {
      answer(action, answer, { TableName, Key }) {
        if (action !== "GetItem" || TableName !== table) return answer;
        const key = JSON.stringify(Key);
        const first = known.get(key) ?? answer;
        known.set(key, first);
        return first;
      },
    },
  };
};

/** A plant that serves a read with the state before the last write, as a replica may. */
export const stale = (table: string): Plant => {
  const before = new Map<string, object>();
  return {
    seam: {
      answer(action, answer, { TableName, Key }) {
        if (TableName !== table || answer.status !== 200) return answer;
        const key = JSON.stringify(Key);
        if (action !== "GetItem") {
          before.set(key, { ...before.get(key), isStale: true });
          return answer;
        }
        const { isStale = false, body = answer.body } = (before.get(key) ?? {}) as { isStale?: boolean; body?: object };
        before.set(key, { isStale: false, body: answer.body });
        return isStale ? { ...answer, body } : answer;
      },
    },
  };
};

type Intervene = (event: unknown, call: () => Promise<unknown>) => Promise<unknown>;

/** A plant around the handler of a function. */
export const around = (functionName: string, intervene: Intervene): Plant => ({
  functions: (functions) => ({
    handler(name): Handler {
      const handler = functions.handler(name);
      if (name !== functionName) return handler;
      return (event, context) => intervene(event, () => handler(event, context));
    },
  }),
});

/** A plant that reports success for a call whose outcome is unknown. */
export const swallowingFailure = (functionName: string, success: Pick<Answer, "status" | "body">): Plant =>
  around(functionName, async (_, call) => {
    const answer = await call();
    const { statusCode } = answer as { statusCode: number };
    if (statusCode !== 503) return answer;
    return { statusCode: success.status, headers: {}, body: success.body && JSON.stringify(success.body) };
  });

/** A plant that changes the first token that a function reads in a call. */
export const readingIn = (functionName: string, change: (token: Item) => Item): Plant => {
  let isMeant = false;
  const { functions } = around(functionName, (_, call) => {
    isMeant = true;
    return call();
  });
  const changed = reading("tokens", (token) => {
    if (!isMeant) return token;
    isMeant = false;
    return change(token);
  });
  return { ...changed, ...(functions && { functions }) };
};
