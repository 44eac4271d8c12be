import { ValidationFailed } from "./errors.ts";

type Rule = [isBroken: (text: string) => boolean, problem: string];

/** Half of a surrogate pair would be sent as another character. */
const wellFormed: Rule = [(text) => !text.isWellFormed(), "must be well-formed Unicode."];

/** What no path can carry to the service unchanged, with the messages that the service has for it. */
const pathRules: Rule[] = [
  [(text) => text === "", "must be 1 to 255 characters."],
  wellFormed,
  [(text) => /\p{Cc}/u.test(text), "must not contain control characters."],
  [(text) => text.includes("?"), "must not contain a question mark."],
  [(text) => text.includes("%"), "must not contain a percent sign."],
  [(text) => text === "." || text === "..", "must not be one or two dots."],
];

/**
 * Throws unless the service can get the values as they are. Without this check, a call for the key `a?b` would reach the key
 * `a`, because the service is behind a gateway that cuts paths off.
 *
 * @throws {ValidationFailed} as if the service had refused the values; nothing has been sent
 */
export const assertSendable = (parameters: Record<string, unknown>, form: Record<string, unknown>): void => {
  const fields = { ...problemsIn(form, [wellFormed]), ...problemsIn(parameters, pathRules) };
  if (Object.keys(fields).length > 0) throw new ValidationFailed({ fields, requestId: undefined });
};

const problemsIn = (values: Record<string, unknown>, rules: Rule[]): Record<string, string[]> => {
  const fields = Object.entries(values).flatMap(([name, value]) => {
    const problems = rules.filter(([isBroken]) => isBroken(String(value))).map(([, problem]) => problem);
    return problems.length === 0 ? [] : [[name, problems.map((problem) => `The ${name} ${problem}`)] as const];
  });
  return Object.fromEntries(fields);
};

/**
 * The path with its parameters, each percent-encoded. The service compares it with the path that arrives, and refuses a
 * request whose path something on the way has changed.
 *
 * @example fillPath("/api/v1/key/{key_id}", { key_id: "a/b" }) // "/api/v1/key/a%2Fb"
 */
export const fillPath = (template: string, values: Record<string, unknown>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
