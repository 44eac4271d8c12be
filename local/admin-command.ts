import { LocalError } from "cdk-local-runner";
import * as z from "zod/mini";
import { invisibleCharacter } from "../lambdas/validation/invisible-characters.ts";

// Everything on the command line is text, and the admin function wants these as numbers.
const numericFields = new Set(["grace_seconds", "hours", "limit", "rate_limit"]);

const failureSchema = z.object({ errorMessage: z.optional(z.string()), Message: z.optional(z.string()) });

/** The event for `npm run admin action field=value …`. Throws at a field without a value. */
export const eventOf = ([action, ...fields]: string[]): Record<string, unknown> => {
  const event: Record<string, unknown> = { action };
  for (const field of fields) {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(field) ?? [];
    if (name === "") throw new LocalError(`${field} is not a field: write name=value, such as ip=127.0.0.1.`);
    event[name] = numericFields.has(name) ? numberOf(value) : value;
  }
  return event;
};

/** Leaves it to the admin function to refuse what is not a number. */
const numberOf = (text: string): number | null | string => {
  if (text === "null") return null;
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
};

/** Sends an event to the admin function of the running service and returns its answer. Throws if it is refused. */
export const sendToAdmin = async (event: Record<string, unknown>, invokeUrl: string): Promise<unknown> => {
  const response = await post(`${invokeUrl}/2015-03-31/functions/admin/invocations`, JSON.stringify(event));
  const answer: unknown = await response.json();
  if (response.ok && !response.headers.has("x-amz-function-error")) return answer;
  const { data } = failureSchema.safeParse(answer);
  throw new LocalError(data?.errorMessage ?? data?.Message ?? JSON.stringify(answer));
};

/** The JSON of an answer, for a terminal: see `escapeInvisible`. */
export const formatAnswer = (answer: unknown): string => escapeInvisible(JSON.stringify(answer, undefined, 2));

const allInvisible = new RegExp(invisibleCharacter, "gu");

/**
 * Writes invisible characters as JSON does, `\u009b`. A terminal would act on some of them, and others would make two names look
 * alike. Ends of lines remain: in JSON, those that belong to a text have been escaped already.
 */
export const escapeInvisible = (text: string): string =>
  text.replaceAll(allInvisible, (character) =>
    character === "\n" ? character : character.replaceAll(/./gs, escapeUnit),
  );

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

const post = async (url: string, body: string): Promise<Response> => {
  try {
    return await fetch(url, { method: "POST", body });
  } catch (error) {
    const { origin } = new URL(url);
    throw new LocalError(`No service answers at ${origin}: start it with npm start, with the same PORT.`, {
      cause: error,
    });
  }
};
