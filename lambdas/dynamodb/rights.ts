/** A DynamoDB action as IAM names it. */
export type DynamoDBAction = "GetItem" | "UpdateItem" | "Query" | "Scan";

/** A right to perform an action on a table: on whole items, only on the named attributes, or on an index. */
export type Right =
  | DynamoDBAction
  | { readonly action: DynamoDBAction; readonly attributes: readonly string[] }
  | { readonly action: DynamoDBAction; readonly index: string };

/** The rights that each operation of a store needs. */
export type Rights<Store> = { readonly [Operation in keyof Store]: readonly Right[] };
