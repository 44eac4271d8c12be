import { RecordRefused } from "../shared/errors/record-refused.ts";

/** DynamoDB's limits for the text of a partition key and of a sort key. */
export const mostKeyBytes = 2048;
export const mostSortKeyBytes = 1024;

/**
 * Returns the values of a key. A string that is empty or too long cannot be one, and DynamoDB would reject it.
 *
 * @throws {RecordRefused} naming the field
 */
export const checkedKey = <Key extends Readonly<Record<string, unknown>>>(key: Key): Key => {
  for (const [name, value] of Object.entries(key)) {
    if (typeof value === "string" && (value === "" || Buffer.byteLength(value) > mostKeyBytes)) {
      throw new RecordRefused({ [name]: [`The ${name} must be 1 to ${mostKeyBytes} bytes.`] });
    }
  }
  return key;
};
