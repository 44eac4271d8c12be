/** The DynamoDB actions, as IAM names them, that an operation of a store performs on the store's table. */
export type DynamoDBAction = "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" | "Scan";

/** For each operation of a store, the DynamoDB actions that it needs. */
export type Rights<Store> = { readonly [Operation in keyof Store]: readonly DynamoDBAction[] };
