/** The DynamoDB actions, as IAM names them, that an operation of a store performs on the store's table. */
export type DynamoDBAction = "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" | "Query" | "Scan";

/** A right to an action on a table: on whole items, or on these attributes of them alone. */
export type Right = DynamoDBAction | { readonly action: DynamoDBAction; readonly attributes: readonly string[] };

/** For each operation of a store, the rights that it needs. */
export type Rights<Store> = { readonly [Operation in keyof Store]: readonly Right[] };
