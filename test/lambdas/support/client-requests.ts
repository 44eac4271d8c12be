import { DynamoDBClient } from "@aws-sdk/client-dynamodb";

export interface NotedRequest {
  /** The action, in IAM's notation. */
  operation: string;
  input: object;
}

/** Records a client's requests. */
export const noteRequests = (client: DynamoDBClient): NotedRequest[] => {
  const requests: NotedRequest[] = [];
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        requests.push({ operation: String(commandName).replace(/Command$/, ""), input: { ...args.input } });
        return next(args);
      },
    { step: "initialize", name: "noteRequests", override: true },
  );
  return requests;
};

/** Makes a client lose its next response, or the next one of a command, so that the SDK sends the request again. */
export const loseNextResponse = (client: DynamoDBClient, command?: string): void => {
  let lost = false;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const response = await next(args);
        if (lost || (command !== undefined && commandName !== command)) return response;
        lost = true;
        throw Object.assign(new Error("the connection was reset"), { name: "TimeoutError" });
      },
    { step: "deserialize", priority: "high", name: "loseNextResponse", override: true },
  );
};

/** Acts instead of a client's next attempts of a command, which get no response. */
export const insteadOfNextAttempts = (
  client: DynamoDBClient,
  command: string,
  ...acts: (() => Promise<unknown>)[]
): void => {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const act = commandName === command ? acts.shift() : undefined;
        if (!act) return next(args);
        await act();
        throw Object.assign(new Error("the connection was reset"), { name: "TimeoutError" });
      },
    { step: "deserialize", priority: "high", name: "insteadOfNextAttempts", override: true },
  );
};

/** Creates a client that sends nothing. A test returns the output for each operation's input. */
export const clientReturning = (outputOf: (input: object) => object): DynamoDBClient => {
  const client = new DynamoDBClient();
  client.middlewareStack.add(
    () => async (args) => ({ output: { $metadata: {}, ...outputOf(args.input) }, response: undefined }),
    { step: "initialize", name: "clientReturning" },
  );
  return client;
};
