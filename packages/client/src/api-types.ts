// Generated from the API description. Do not edit.

/** The operations of the API, by path and method. */
export interface paths {
  "/api/v1/key": {
    /** Create a key. Stores a `key_id` with its `v_code`. You can repeat the call safely, because the same pair is stored once. A `key_id` that already exists with a different `v_code` is rejected. Use `PUT` to replace the `v_code`. */
    POST: {
      options: {
        body: components["schemas"]["CreateKeyBody"];
      };
      data: components["schemas"]["Key"];
    };
    /** List keys. Returns a page of keys, in no particular order. A page has at most `limit` keys. Without `limit`, it has as many keys as fit into a response of about 4 MB. If there are more keys, the `Link` header has the address of the next page, with `rel="next"`. A page can have fewer keys than `limit` without being the last one. */
    GET: {
      options: {
        params?: { query?: { limit?: number; cursor?: string } };
      };
      data: Array<components["schemas"]["Key"]>;
      paged: true;
    };
  };
  "/api/v1/token": {
    /** Describe your token. Describes your token: its address, the address that this call came from, and when the token expires. This is a good first call. */
    GET: {
      options: {};
      data: components["schemas"]["Token"];
    };
  };
  "/api/v1/key/{key_id}": {
    /** Delete a key. Deletes the key with this `key_id`. Deleting it a second time returns `404`. If you send the `ETag` of the key in `If-Match`, the key is deleted only if it has not changed since. */
    DELETE: {
      options: {
        params: { path: { key_id: string } };
        ifUnchanged?: components["schemas"]["Key"];
      };
      data: undefined;
    };
    /** Read a key. Returns the key with this `key_id`. */
    GET: {
      options: {
        params: { path: { key_id: string } };
      };
      data: components["schemas"]["Key"];
    };
    /** Replace the v_code of a key. Replaces the `v_code` of an existing key. Repeating the request changes only `updated_at`. If you send the `ETag` of the key in `If-Match`, the key is changed only if nobody else has changed it since. */
    PUT: {
      options: {
        params: { path: { key_id: string } };
        body: components["schemas"]["ReplaceKeyBody"];
        ifUnchanged?: components["schemas"]["Key"];
      };
      data: components["schemas"]["Key"];
    };
  };
  "/api/v1/key/changes": {
    /** Follow the changes of keys. Returns a page of what has changed since `cursor`, each key's last change once. Without `cursor`, the pages begin with a copy of all keys. Store each page's `cursor` once you have applied the page. While `more` is true, request the next page at once; then poll as often as you like. A change appears after about 30 seconds. A page can have fewer changes than `limit`, or none, although `more` is true. */
    GET: {
      options: {
        params?: { query?: { limit?: number; cursor?: string } };
      };
      data: components["schemas"]["KeyChanges"];
    };
  };
}

/** The objects in requests and responses. */
export interface components {
  schemas: {
    /** A key: a name and the verification code that is stored under it. */
    Key: {
      /** Identifies the key. Any characters except control characters, the percent sign and the question mark; not `.`, `..` or `changes`. */
      key_id: string;
      /** The verification code: a secret of exactly 64 characters. */
      v_code: string;
      /** When the key was created. */
      created_at: string;
      /** When its v_code was last replaced. */
      updated_at: string;
    };
    /** An access token, without its secret. */
    Token: {
      /** The public half of the token: safe to log and to quote. */
      token_id: string;
      /** The address that the token is bound to. */
      ip: string;
      /** The address from which the service saw this request come. */
      seen_ip: string;
      /** When the token was issued. */
      issued_at: string;
      /** When the token expires; null if it never does. */
      expires_at: string | null;
      /** Set if the token expires within 30 days; otherwise null. */
      expiring: components["schemas"]["TokenExpiring"] | null;
      /** The name of the client that the token belongs to; null if the token has no client. */
      client: string | null;
    };
    TokenExpiring: {
      /** How many whole days are left. */
      days: number;
      /** The call that replaces the token; null if it has a successor already, or if an admin has set this end for its successors, too. */
      rotation: string | null;
    };
    KeyChangesDeleted: {
      /** Identifies the key. Any characters except control characters, the percent sign and the question mark; not `.`, `..` or `changes`. */
      key_id: string;
      /** When it was deleted. */
      deleted_at: string;
    };
    KeyChanges: {
      /** What was created or changed, as it is now. */
      changed: Array<components["schemas"]["Key"]>;
      /** What was deleted. */
      deleted: Array<components["schemas"]["KeyChangesDeleted"]>;
      /** Where the next page begins. Store it once this page has been applied. It works for 30 days. */
      cursor: string;
      /** Whether to request the next page at once; otherwise, this was all. */
      more: boolean;
    };
    CreateKeyBody: {
      /** Identifies the key. Any characters except control characters, the percent sign and the question mark; not `.`, `..` or `changes`. */
      key_id: string;
      /** The verification code: a secret of exactly 64 characters. */
      v_code: string;
    };
    ReplaceKeyBody: {
      /** The verification code: a secret of exactly 64 characters. */
      v_code: string;
    };
  };
}

/** The error codes that the service documents. A later release of the service may have more. */
export type ErrorCode =
  | "json_not_accepted"
  | "path_changed"
  | "malformed_form"
  | "json_instead_of_form"
  | "token_missing"
  | "token_invalid"
  | "wrong_credential"
  | "token_expired"
  | "token_revoked"
  | "invitation_expired"
  | "invitation_revoked"
  | "invitation_used"
  | "jwt_invalid"
  | "ip_not_allowed"
  | "request_rejected"
  | "jwt_refused"
  | "key_not_found"
  | "token_already_rotated"
  | "jwt_used"
  | "move_not_needed"
  | "cursor_expired"
  | "precondition_failed"
  | "content_too_large"
  | "unsupported_media_type"
  | "validation_failed"
  | "rate_limited"
  | "too_many_requests"
  | "jwt_key_unknown"
  | "internal_error"
  | "unavailable"
  | "issuer_unreachable"
  | "endpoint_not_found"
  | "method_not_allowed"
  | "documentation_not_writable";

/** What the client needs to know to send requests and read responses, where it is not JSON. */
export const operations: {
  readonly [operation: string]:
    | {
        readonly form?: true;
        readonly media?: string;
        readonly redirects?: true;
        readonly repeatable?: true;
        readonly empty?: readonly number[];
      }
    | undefined;
} = {
  "POST /api/v1/key": { form: true, repeatable: true },
  "PUT /api/v1/key/{key_id}": { form: true },
};
