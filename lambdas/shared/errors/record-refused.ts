import type { FieldMessages } from "./api-error.ts";

/**
 * A record that must not be stored, because its schema rejects it. For an endpoint, this is a `422` if the client sent all of the
 * fields, and a `500` otherwise.
 */
export class RecordRefused extends Error {
  override name = "RecordRefused";
  readonly fields: FieldMessages;

  constructor(fields: FieldMessages) {
    // The messages do not quote values, which may be secret.
    super(`The record is not what its schema describes. ${Object.values(fields).flat().join(" ")}`);
    this.fields = fields;
  }
}
