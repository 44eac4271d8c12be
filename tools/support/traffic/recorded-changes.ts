import { type Answered, invokeAdmin, isFailure, type Request, type Target } from "./caller.ts";

interface Change {
  time: string;
  kind: string;
  token_id: string | null;
  key_id: string | null;
  request_id: string;
}

/** An acknowledged change of a token or of a key. */
export interface AcknowledgedChange {
  requestId: string;
  kind: string;
  /** The token, or the key. */
  id: string;
}

interface HistoryPage {
  changes: Change[];
  next_cursor: string | null;
  dropped: number;
}

const isPage = (answer: Partial<HistoryPage>): answer is HistoryPage => answer.changes !== undefined;

/** The acknowledged changes of clients, by the id of the request. */
const kindOf = ({ method, path }: Request, { status }: Answered): string | undefined => {
  if (!path.startsWith("/api/v1/key")) return undefined;
  if (method === "POST" && status === 201) return "created";
  if (method === "PUT" && status === 200) return "replaced";
  return method === "DELETE" && status === 204 ? "deleted" : undefined;
};

/** Whether these are the changes of a rotation that came too late and revoked the successor it had issued. */
const isAbandonedSuccessor = (changes: readonly Change[]): boolean =>
  changes.map(({ kind }) => kind).join() === "revoked,succeeded" &&
  changes.every(({ token_id }) => token_id !== null && token_id === changes[0]?.token_id);

/** Compares the acknowledged changes of clients and the admin with the history: it has each exactly once, and no others. */
export const createRecordedChanges = () => {
  const acknowledged: AcknowledgedChange[] = [];
  const refused = new Set<string>();

  /** Repeats the call until the function itself responds: its thread may be killed in the meantime. */
  const page = async (target: Target, input: object): Promise<HistoryPage> => {
    for (let attempt = 1; ; attempt += 1) {
      const { status, text } = await invokeAdmin(target, { action: "history", ...input });
      const answer: Partial<HistoryPage> = status === 200 ? JSON.parse(text) : {};
      if (isPage(answer)) return answer;
      if (attempt === 5) throw new Error(`The history cannot be read: ${status} ${text}`);
    }
  };

  /** All changes, newest first. */
  const readAll = async (target: Target): Promise<Change[]> => {
    const changes: Change[] = [];
    let cursor: string | null = null;
    do {
      const found: HistoryPage = await page(target, { limit: 1_000, ...(cursor !== null && { cursor }) });
      changes.push(...found.changes);
      cursor = found.next_cursor;
    } while (cursor !== null);
    return changes;
  };

  return {
    note(request: Request, answered: Answered): void {
      const requestId = answered.headers["x-request-id"];
      if (requestId === undefined || isFailure(answered)) return;
      const kind = kindOf(request, answered);
      const id = request.form?.key_id ?? decodeURIComponent(request.path.split("/").at(-1) ?? "");
      if (kind !== undefined) acknowledged.push({ requestId, kind, id });
      else if (answered.status >= 400) refused.add(requestId);
    },
    /** Notes a change that the admin function has acknowledged. */
    noteChange: (change: AcknowledgedChange): void => void acknowledged.push(change),
    size: () => acknowledged.length,
    /** The problems of the histories, while nothing else is going on. */
    async differences(target: Target): Promise<string[]> {
      const differences: string[] = [];
      const changes = await readAll(target);
      const times = changes.map(({ time }) => time);
      if (times.join() !== times.toSorted().toReversed().join()) differences.push("the history is not in order");
      const byRequest = Map.groupBy(changes, ({ request_id }) => request_id);
      for (const { requestId, kind, id } of acknowledged) {
        const ofRequest = (byRequest.get(requestId) ?? []).filter((one) => one.kind === kind);
        const found = ofRequest.filter(({ token_id, key_id }) => (token_id ?? key_id) === id);
        if (found.length === 1) continue;
        const isOfKey = ["created", "replaced", "deleted"].includes(kind);
        const { dropped } = await page(target, { [isOfKey ? "key_id" : "token_id"]: id, limit: 1_000 });
        // The first change of a token, the only one that is looked for, is never dropped.
        if (isOfKey && found.length === 0 && dropped > 0) continue;
        differences.push(`the history of ${id} has ${found.length} times that it was ${kind} by ${requestId}`);
      }
      for (const [requestId, found] of byRequest) {
        const [first] = found;
        if (refused.has(requestId) && !isAbandonedSuccessor(found))
          differences.push(`the history has ${first?.kind} of ${requestId}, which was refused`);
        if (first?.key_id !== null && found.length > 1)
          differences.push(`the history has ${requestId} ${found.length} times`);
      }
      return differences;
    },
  };
};
