export interface Replacement {
  /** Only in this file; in all files of `lambdas/` unless given. */
  file?: string;
  text: string;
  by: string;
}

const keyStore = "lambdas/resources/keys/keys-table.ts";
const tokenStore = "lambdas/resources/tokens/dynamodb-token-store.ts";
const tokensTable = "lambdas/resources/tokens/tokens-table.ts";
const lifeCycle = "lambdas/resources/tokens/life-cycle.ts";
const usageFormats = "lambdas/resources/usage/formats.ts";

/** By name, changes with which two versions cannot share a database, each made consistently within the new version. */
export const plants = {
  "renamed-attribute": [{ text: "secret_hash", by: "secret_digest" }],
  "new-required-field": [
    { file: tokensTable, text: "fields: {", by: "fields: { owner: text()," },
    { text: "hashSecret(text.secret),", by: 'hashSecret(text.secret), owner: "somebody",' },
  ],
  "other-hash": [
    { file: "lambdas/resources/tokens/token-text.ts", text: 'createHash("sha256")', by: 'createHash("sha512-256")' },
  ],
  "other-time-format": [
    { file: keyStore, text: "{ v_code, created_at,", by: "{ v_code, created_at: String(Date.parse(created_at))," },
    {
      file: "lambdas/resources/keys/keys-table.ts",
      text: "created_at: time,",
      by: "created_at: textOfLength({ min: 13, max: 24 }),",
    },
  ],
  "other-key-format": [
    { file: "lambdas/resources/limits/limits-table.ts", text: "{ minute_id: ", by: '{ minute_id: "v2/" + ' },
  ],
  "new-state": [
    {
      file: tokenStore,
      text: "set: () => ({ ...by, delete_at: deleteAt(by.revoked_at) })",
      by: "set: () => ({ suspended_at: by.revoked_at })",
    },
    { file: tokensTable, text: "fields: {", by: "fields: { suspended_at: optional(time)," },
    {
      file: lifeCycle,
      text: "if (revoked_at !== undefined)",
      by: "if ((revoked_at ?? record.suspended_at) !== undefined)",
    },
  ],
  "open-invitation": [
    {
      file: "lambdas/admin/tokens/invite.ts",
      text: "secret_hash: hashSecret(generateTokenText().secret)",
      by: "secret_hash: hashSecret(text.secret)",
    },
  ],
  "other-nesting": [
    {
      file: "lambdas/resources/usage/usage-hour.ts",
      text: "JSON.stringify({ time, ...refusal })",
      by: "JSON.stringify({ time, refusal: { time, ...refusal } })",
    },
    { file: usageFormats, text: "JSON.parse(value)", by: "(JSON.parse(value).refusal ?? JSON.parse(value))" },
  ],
  "other-cursor": [{ file: "lambdas/validation/paging.ts", text: '"base64url"', by: '"hex"' }],
} as const satisfies Record<string, readonly Replacement[]>;

/** A right that is missing in the deployed policies. */
export interface WithheldRight {
  functionName: string;
  action: string;
  table: string;
}

/** By name, rights without which one of two versions cannot serve beside the other. */
export const withheldRights = {
  "right-of-the-release": { functionName: "v1-delete-key", action: "dynamodb:DeleteItem", table: "KeysTable" },
  "right-of-this-version": { functionName: "v1-delete-key", action: "dynamodb:UpdateItem", table: "KeysTable" },
} as const satisfies Record<string, WithheldRight>;

export type PlantName = keyof typeof plants;
export type WithheldName = keyof typeof withheldRights;
export const plantNames = Object.keys({ ...plants, ...withheldRights });

export const isPlantName = (text: string): text is PlantName => text in plants;
export const isWithheldName = (text: string): text is WithheldName => text in withheldRights;
