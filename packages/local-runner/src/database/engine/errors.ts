/** An error that DynamoDB itself responds with. */
export class DatabaseError extends Error {
  /** The type with its namespace, as in a response. */
  readonly type: string;
  /** What the response has besides the message. */
  readonly more: object;

  constructor(type: string, message: string, more: object = {}) {
    super(message);
    this.type = type;
    this.more = more;
  }
}

/** A request that DynamoDB would handle and the embedded database does not. */
export class UnsupportedRequest extends Error {}

/** The error for a request that DynamoDB does not accept. */
export const invalid = (message: string): DatabaseError =>
  new DatabaseError("com.amazon.coral.validate#ValidationException", message);

/** Throws the error for a request that DynamoDB does not accept, unless the request is as it should be. */
export const assertValid: (isValid: boolean, message: string) => asserts isValid = (isValid, message) => {
  if (!isValid) throw invalid(message);
};

/** The error for a request whose JSON has other types than DynamoDB's parameters. */
export const malformed = (message: string): DatabaseError =>
  new DatabaseError("com.amazon.coral.service#SerializationException", message);

/** The other errors of DynamoDB. */
export const failure = (name: string, message: string, more?: object): DatabaseError =>
  new DatabaseError(`com.amazonaws.dynamodb.v20120810#${name}`, message, more);
