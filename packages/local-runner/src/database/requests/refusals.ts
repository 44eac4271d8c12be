/** A request that DynamoDB itself refuses, with its `ValidationException`. */
export class InvalidRequest extends Error {}

/** A request that the embedded database would not answer, or might not answer, as DynamoDB does. */
export class UnsupportedRequest extends Error {}
