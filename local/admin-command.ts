import { LocalError } from "../packages/local-runner/src/local-error.ts";
import * as z from "../packages/local-runner/src/zod.ts";

// The command line knows texts only, and the admin function takes these as numbers.
const numericFields = new Set(["grace_seconds", "hours", "limit", "rate_limit"]);

const failureSchema = z.object({ errorMessage: z.optional(z.string()), Message: z.optional(z.string()) });

/** The event for `npm run admin action field=value …`. Throws at a field without a value. */
export function eventOf([action, ...fields]: readonly string[]): Record<string, unknown> {
  const event: Record<string, unknown> = { action };
  for (const field of fields) {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(field) ?? [];
    if (name === "") throw new LocalError(`${field} is no field: write name=value, such as ip=127.0.0.1.`);
    event[name] = numericFields.has(name) ? numberOf(value) : value;
  }
  return event;
}

/** What is no number is left to the admin function to refuse. */
const numberOf = (text: string): number | null | string => {
  if (text === "null") return null;
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
};

/** Sends an event to the running service's admin function and gives its answer. Throws if it is refused. */
export async function sendToAdmin(event: Record<string, unknown>, invokeUrl: string): Promise<unknown> {
  const response = await post(`${invokeUrl}/2015-03-31/functions/admin/invocations`, JSON.stringify(event));
  const answer: unknown = await response.json();
  if (response.ok && !response.headers.has("x-amz-function-error")) return answer;
  const { data } = failureSchema.safeParse(answer);
  throw new LocalError(data?.errorMessage ?? data?.Message ?? JSON.stringify(answer));
}

async function post(url: string, body: string): Promise<Response> {
  try {
    return await fetch(url, { method: "POST", body });
  } catch (error) {
    const { origin } = new URL(url);
    throw new LocalError(`No service answers at ${origin}: start it with npm start, with the same PORT.`, {
      cause: error,
    });
  }
}
