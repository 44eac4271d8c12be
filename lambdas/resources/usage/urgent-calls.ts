import type { RequestLine } from "./request-line.ts";

/** A call that people should hear about at once. */
export interface UrgentCall {
  token_id: string;
  /** Where the correct secret came from and when (RFC 3339, UTC, ms); absent for a call that asks for a confirmation. */
  leak?: { source_ip: string; seen_at: string };
}

/** The calls that leaked a secret or asked an admin for a confirmation: one for each token and address, or token. */
export const urgentCallsIn = (lines: readonly { line: RequestLine; time: string }[]): UrgentCall[] => {
  const calls = new Map<string, UrgentCall>();
  for (const { line, time } of lines) {
    const { token_id, source_ip, leak_signal, confirmation } = line;
    if (confirmation !== undefined) calls.set(token_id, { token_id });
    const place = `${token_id} ${source_ip}`;
    if (leak_signal === undefined || source_ip === "" || calls.has(place)) continue;
    calls.set(place, { token_id, leak: { source_ip, seen_at: time } });
  }
  return [...calls.values()];
};
