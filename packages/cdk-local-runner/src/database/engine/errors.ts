/** An error that DynamoDB itself would return. */
export class DatabaseError extends Error {
  /** The error type with its namespace, as in a response. */
  readonly type: string;
  /** The response's other fields besides the message. */
  readonly more: object;

  constructor(type: string, message: string, more: object = {}) {
    super(message);
    this.type = type;
    this.more = more;
  }
}

/** A request that DynamoDB would handle but the embedded database doesn't. */
export class UnsupportedRequest extends Error {}

/** Creates the error for an invalid request. */
export const invalid = (message: string): DatabaseError =>
  new DatabaseError("com.amazon.coral.validate#ValidationException", message);

/** Throws the error for an invalid request unless the request is valid. */
export const assertValid: (isValid: boolean, message: string) => asserts isValid = (isValid, message) => {
  if (!isValid) throw invalid(message);
};

/** Creates the error for a request whose JSON types don't match DynamoDB's parameters. */
export const malformed = (message: string): DatabaseError =>
  new DatabaseError("com.amazon.coral.service#SerializationException", message);

/** Creates any other DynamoDB error. */
export const failure = (name: string, message: string, more?: object): DatabaseError =>
  new DatabaseError(`com.amazonaws.dynamodb.v20120810#${name}`, message, more);
