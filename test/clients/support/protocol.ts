/*
 * A driver is a program that makes calls with one of the clients. It reads a command per line and writes an outcome per line,
 * in JSON, so that all drivers can be held to the same outcomes.
 */

export interface ClientOptions {
  base_url: string;
  token: string;
  retry?: { attempts?: number; maximum_wait_seconds?: number };
  /** How long a call may take. */
  timeout_seconds?: number;
  /** What to do when the token expires: to note it, or to fail. By default, what the client does by itself. */
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

/** Where a client gets its JWTs: by default from GitHub. The environment is set before. */
export interface WorkloadOptions {
  file?: string;
  variable?: string;
  /** Whether the function that gets JWTs never returns from its first call. */
  is_stuck?: boolean;
  environment?: Record<string, string>;
}

/** A step in the replacement of a file. */
export type FileStep = "write" | "sync" | "rename";

/** The condition of a change: an object that was kept (`a`), a copy of it (`copy of a`), or the first of a list (`item of a`). */
export interface Condition {
  if_unchanged?: string;
}

/** `keep` gives the result a name, to make a change depend on it later. */
export type Call =
  | { call: "get_token" | "get_token_at_once" }
  | { call: "create_key"; key_id: string; v_code: string; keep?: string }
  | { call: "get_key"; key_id: string; keep?: string }
  | ({ call: "replace_key"; key_id: string; v_code: string; keep?: string } & Condition)
  | ({ call: "delete_key"; key_id: string } & Condition)
  | { call: "pages"; limit?: number; take?: number; keep?: string }
  | { call: "enrol"; invitation: string }
  | { call: "rotate"; grace_seconds: number }
  | { call: "move" | "revoke" }
  | ({ call: "open_kept" } & KeptOptions)
  | ({ call: "open_workload" } & WorkloadOptions)
  /** Lets a step fail the next time, or a later one, as on a full disk. */
  | { call: "break"; step: FileStep; time?: number }
  /**
   * Pauses the program before one of its next steps with files or the network, until the named pipe is opened to write. Among
   * these steps are those that only look, unless told otherwise.
   */
  | { call: "pause"; before: number; until: string; only_effects?: boolean };

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

/** The report of the client before it sent a request again. */
export interface Retried {
  status: number;
  attempt: number;
  milliseconds: number;
}

export interface Outcome {
  /** The program is paused: the outcome of the call follows when it continues. */
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
  /** The lines that the client itself showed its user. */
  warnings?: string[];
  /** How the language shows the client of a call for a token, and its value or failure. */
  shown?: string;
}

/** A value as one line: Node.js also ends a line at these two characters, which JSON may contain as they are. */
export const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
