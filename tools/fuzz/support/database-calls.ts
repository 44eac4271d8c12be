import type { Server } from "node:http";

/** A call that the functions made to the database. */
export interface DatabaseCall {
  operation: string;
  table: string;
  keyId: string | undefined;
  /** It writes anything besides the last use of a token and the number of uses. */
  isWrite: boolean;
  /** It is an update that may fail because of its condition. */
  isConditional: boolean;
  isUse: boolean;
  /** It counts a request of a token with a limit. */
  isCount: boolean;
}

interface CallBody {
  TableName?: string;
  Key?: Record<string, { S?: string }>;
  Item?: Record<string, { S?: string }>;
  UpdateExpression?: string;
  ConditionExpression?: string;
}

/** Records the calls to an embedded database until they are taken. */
export const noteCalls = (server: Server): { take(): DatabaseCall[] } => {
  let calls: DatabaseCall[] = [];
  server.on("request", (request) => {
    const operation = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
    const chunks: Buffer[] = [];
    request.on("data", (chunk: string | Buffer) => {
      chunks.push(Buffer.from(chunk));
    });
    request.once("end", () => {
      calls.push(readCall(operation, Buffer.concat(chunks).toString("utf8")));
    });
  });
  return {
    take() {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
};

const readCall = (operation: string, text: string): DatabaseCall => {
  const { TableName = "", Key, Item, UpdateExpression = "", ConditionExpression }: CallBody = JSON.parse(text);
  const isUse = UpdateExpression === "SET last_used_at = :used_at REMOVE repeat_nonce";
  const isCount = UpdateExpression.startsWith("ADD taken ");
  const isWrite = !isUse && !isCount && ["PutItem", "UpdateItem", "DeleteItem"].includes(operation);
  const isConditional = operation === "UpdateItem" && ConditionExpression !== undefined;
  return { operation, table: TableName, keyId: (Key ?? Item)?.key_id?.S, isWrite, isConditional, isUse, isCount };
};
