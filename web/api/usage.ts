/** What became of a token's calls, counted from the log. Times are RFC 3339, UTC; null for what has not happened. */
export interface Usage {
  /** The beginning of the first hour that was looked at. */
  from: string;
  /** From `warn` on, calls that went well are not in the log. */
  log_level: string;
  /** The hours with calls, in their order. */
  hours: UsageHour[];
  /** The newest first. */
  refusals: Refusal[];
  first_used_at: string | null;
  last_used_at: string | null;
  /** Null for a token without a successor. */
  rotation: Rotation | null;
}

export interface UsageHour {
  hour: string;
  /** The number of calls by class of status: `2xx`. */
  statuses: Record<string, number>;
  /** The number of calls by error. */
  codes: Record<string, number>;
  /** The number of calls with the right secret from a wrong address. */
  leak_signals: number;
}

export interface Refusal {
  time: string;
  code: string;
  status: number;
  source_ip: string;
  route: string;
  /** The secret was right, and the address was not. */
  leak: boolean;
}

export interface Rotation {
  rotated_at: string;
  successor_first_used_at: string | null;
  /** The old token was used after its rotation. */
  used_since: boolean;
}

/** The last time that a token's right secret came from a wrong address. */
export interface Leak {
  token_id: string;
  time: string;
  source_ip: string;
}
