import { type AttributeValue, DynamoDBClient } from "@aws-sdk/client-dynamodb";

interface NotedRequest {
  /** As IAM names the action. */
  operation: string;
  input: object;
}

/** Records the requests of a client. */
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

/** Makes a client lose its next response, so that the SDK sends the request again. */
export const loseNextResponse = (client: DynamoDBClient): void => {
  let lost = false;
  client.middlewareStack.add(
    (next) => async (args) => {
      const response = await next(args);
      if (lost) return response;
      lost = true;
      throw Object.assign(new Error("the connection was reset"), { name: "TimeoutError" });
    },
    { step: "deserialize", priority: "high", name: "loseNextResponse", override: true },
  );
};

/** A client that sends nothing. The output of each operation is what a test returns for its input. */
export const clientReturning = (outputOf: (input: object) => object): DynamoDBClient => {
  const client = new DynamoDBClient();
  client.middlewareStack.add(
    () => async (args) => ({ output: { $metadata: {}, ...outputOf(args.input) }, response: undefined }),
    { step: "initialize", name: "clientReturning" },
  );
  return client;
};

interface Request {
  ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
  [parameter: string]: unknown;
}

/**
 * The parts of a request that DynamoDB has to understand, independent of names and values: the operation, the parameters, the
 * types of keys, and the expressions with `path` for each attribute and `:S` for a value of type `S`.
 *
 * @example "UpdateItem ConditionExpression=attribute_exists(path) Key=S UpdateExpression=SET path = :S"
 */
export const shapeOf = (operation: string, request: Request): string => {
  const { ExpressionAttributeValues: values = {}, TableName: _, ...parameters } = request;
  const described = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${describe(name, value, values)}`);
  return [operation, ...described.toSorted()].join(" ");
};

const describe = (name: string, value: unknown, values: Record<string, AttributeValue>): string => {
  if (name === "UpdateExpression") return updateShape(expressionShape(String(value), values));
  if (name === "ExpressionAttributeNames") return "#path";
  if (name.endsWith("Expression")) return expressionShape(String(value), values);
  // An item may have any number of attributes of the same type.
  if (typeof value === "object") return [...new Set(Object.values(value ?? {}).map(typeOf))].toSorted().join();
  return typeof value === "number" ? "number" : String(value);
};

const typeOf = (value: AttributeValue | undefined): string => Object.keys(value ?? {}).join();

const words = /^(AND|OR|NOT|BETWEEN|IN|SET|REMOVE|ADD|DELETE|attribute_\w+|begins_with|contains|size|if_not_exists)$/;

const expressionShape = (expression: string, values: Record<string, AttributeValue>): string =>
  expression.replaceAll(/[#:]?\w+/g, (word) => {
    if (word.startsWith(":")) return `:${typeOf(values[word])}`;
    if (word.startsWith("#")) return "#path";
    return words.test(word) ? word : "path";
  });

/** The kinds of actions without duplicates, because an update may do the same to any number of attributes. */
const updateShape = (expression: string): string =>
  expression
    .split(/ (?=(?:SET|REMOVE|ADD|DELETE) )/)
    .map((clause) => {
      const [, keyword, actions = ""] = /^(\w+) (.*)$/.exec(clause) ?? [];
      return `${keyword} ${[...new Set(actions.split(/,\s*(?![^(]*\))/))].toSorted().join(", ")}`;
    })
    .toSorted()
    .join(" ");
