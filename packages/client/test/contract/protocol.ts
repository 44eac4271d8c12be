/*
 * A driver is a program that makes calls with one of the clients. It reads one JSON command per line and writes one JSON
 * outcome per line, so that all drivers can be compared with the same outcomes.
 */

export interface ClientOptions {
  base_url: string;
  token: string;
  retry?: { attempts?: number; maximum_wait_seconds?: number };
  /** Time limit of a call. */
  timeout_seconds?: number;
  /** What to do when the token expires: note it, or fail. By default, the client decides. */
  on_token_expiring?: "noting" | "failing";
}

/** The options of a client whose token is in a file. */
export interface KeptOptions {
  file: string;
  invitation?: string | undefined;
  may_move?: boolean;
  grace_seconds?: number;
  /** Null for never. */
  maximum_age_days?: number | null;
}

/** Where a client gets its JWTs. GitHub is the default. The environment is set before. */
export interface WorkloadOptions {
  file?: string;
  variable?: string;
  /** Whether the function that gets JWTs never returns from its first call. */
  is_stuck?: boolean;
  environment?: Record<string, string>;
}

/** A step with files or the network. */
export type Step = "look" | "open" | "write" | "sync" | "rename" | "remove" | "connect";

/** The condition of a change: an object that was kept (`a`), a copy of it (`copy of a`), or the first of a list (`item of a`). */
export interface Condition {
  if_unchanged?: string;
}

/** `keep` names the result, so that a later change can depend on it. */
export type Call =
  | { call: "get_token" | "get_token_at_once" }
  | { call: "create_key"; key_id: string; v_code: string; keep?: string }
  | { call: "get_key"; key_id: string; keep?: string }
  | ({ call: "replace_key"; key_id: string; v_code: string; keep?: string } & Condition)
  | ({ call: "delete_key"; key_id: string } & Condition)
  | { call: "pages"; limit?: number; take?: number; keep?: string }
  | { call: "changes"; cursor?: string; limit?: number; take?: number }
  | { call: "enrol"; invitation: string }
  | { call: "rotate"; grace_seconds: number }
  | { call: "move" | "revoke" }
  | ({ call: "open_kept" } & KeptOptions)
  | ({ call: "open_workload" } & WorkloadOptions)
  /**
   * Makes the program fail at one of its next steps of these kinds, as on a full disk, or pause until the named pipe is opened to
   * write.
   */
  | { call: "interrupt"; before: number; steps: Step[]; until?: string };

/** `client` distinguishes the clients that a driver has opened. */
export type Command = ({ call: "open" } & ClientOptions & { client: string }) | (Call & { client: string });

export interface Failure {
  /**
   * The name of an error of the client; `no response`, `timeout`, `misuse` for an error of the program that uses it, `system`
   * for a file that cannot be used, or `unexpected`.
   */
  kind: string;
  status?: number;
  code?: string;
  message?: string;
  request_id?: string | null;
  fields?: Record<string, string[]>;
}

/** The client's report before it retried a request. */
export interface Retried {
  status: number;
  attempt: number;
  milliseconds: number;
}

export interface Outcome {
  /** The program is paused. The outcome of the call follows when it continues. */
  paused?: true;
  value?: unknown;
  failure?: Failure;
  retries: Retried[];
  /** Other events, if there were any. */
  notes?: Notes;
}

/** The messages of a client to its user, and how long it waited for a confirmation. */
export interface Notes {
  confirmations?: { ip: string; code: string; expires_at: string }[];
  waits?: number[];
  /** The ids of new tokens of a file. */
  replaced?: string[];
  problems?: Failure[];
  expiring?: { expires_at: string; rotation: string | null }[];
  /** The lines that the client itself printed for its user. */
  warnings?: string[];
  /** How the language prints the client of a call for a token, and its value or failure. */
  shown?: string;
}

/** Formats a value as one line. Node.js also splits lines at these two characters, which JSON may contain unescaped. */
export const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
