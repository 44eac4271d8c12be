import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod/mini";
import { endInTime, withDeadline } from "../dynamodb/client/deadline.ts";
import { AwsRefusal, connectToService, type SendToService } from "../shared/aws/connect-to-service.ts";
import { requireVariable, secretsPathVariable } from "../shared/environment.ts";
import { ApiError } from "../shared/errors/api-error.ts";
import { describeCause, log } from "../shared/log.ts";
import type { Words } from "../shared/validation/validate.ts";
import { type Declared, readSettings, type Valued, valuesOf } from "./read-settings.ts";

const keptMilliseconds = 5 * 60_000;
/** How long the old secrets stay in use after a failed read, before the next attempt. */
const pauseMilliseconds = 30_000;
const attemptMilliseconds = 1_000;
const maximumAttempts = 3;
const maximumNames = 10;

/**
 * Gives the handler of an endpoint or a job its settings and secrets. Secrets are read when the handler is first called, and again when it is
 * called after five minutes. The caller of an endpoint has been verified by then, so strangers cause no reads.
 */
export const withValues = <Result>(declared: Declared<Result>, words: Words): Valued<Result> => {
  const { secrets = {} } = declared;
  const settings = readSettings(declared.settings, words);
  const path = requireVariable(secretsPathVariable);
  const ssm = connectToService("ssm", { retries: 0 });
  let kept: { values: object; until: number } | undefined;

  const readNow = () =>
    withDeadline(async () => {
      const texts = await readParameters(ssm, path, Object.keys(secrets));
      return valuesOf("secret", secrets, (name) => texts.get(name), words);
    });

  const read = async (): Promise<object> => {
    if (kept && Date.now() < kept.until) return kept.values;
    try {
      kept = { values: await readNow(), until: Date.now() + keptMilliseconds };
    } catch (error) {
      if (!kept) throw error;
      kept.until = Date.now() + pauseMilliseconds;
      log("warn", { message: "secrets_kept", cause: describeCause(error instanceof ApiError ? error.cause : error) });
    }
    return kept.values;
  };

  const handler: Declared<Result>["handler"] = async (input, ...others) => {
    try {
      return await declared.handler({ ...Object(input), settings, secrets: await read() }, ...others);
    } catch (error) {
      throw hideTexts(error, textsIn(kept?.values));
    }
  };
  const failures = () =>
    readNow().then(
      () => [],
      ({ cause }: ApiError) => failuresFrom(cause, path),
    );
  return { handler, failures };
};

const parametersSchema = z.object({ Parameters: z.array(z.object({ Name: z.string(), Value: z.string() })) });

/** Returns the values of the parameters that exist, by the ends of their names. */
const readParameters = async (ssm: SendToService, path: string, names: readonly string[]) => {
  const texts = new Map<string, string>();
  for (let start = 0; start < names.length; start += maximumNames) {
    const Names = names.slice(start, start + maximumNames).map((name) => path + name);
    const { Parameters } = await getParameters(ssm, JSON.stringify({ Names, WithDecryption: true }));
    for (const { Name, Value } of Parameters) texts.set(Name.slice(path.length), Value);
  }
  return texts;
};

/** Retries every failure, because AWS also throttles with status 400, and the connection of a frozen function may be broken. */
const getParameters = async (
  ssm: SendToService,
  body: string,
  attempt = 1,
): Promise<z.output<typeof parametersSchema>> => {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(attemptMilliseconds)]);
  const headers = { "X-Amz-Target": "AmazonSSM.GetParameters", "Content-Type": "application/x-amz-json-1.1" };
  const cancel = endInTime((error) => controller.abort(error));
  try {
    const response = await ssm("/", { headers, body, signal });
    // Errors of the parser and of zod would quote the response.
    const parsed = parametersSchema.safeParse(await response.json().catch(() => undefined)).data;
    if (!parsed) throw new Error("The Parameter Store's response is not one of GetParameters.");
    return parsed;
  } catch (error) {
    if (attempt === maximumAttempts || isDefect(error)) throw error;
  } finally {
    cancel();
  }
  await wait(2 ** attempt * 25 * (1 + Math.random()));
  return getParameters(ssm, body, attempt + 1);
};

const isDefect = (error: unknown): boolean =>
  error instanceof AwsRefusal && /AccessDenied|Validation/.test(error.message);

/** Returns what the version check reports: the command for each secret that lacks a valid value, or the name of an error. */
const failuresFrom = (cause: unknown, path: string): string[] => {
  if (!(cause instanceof Error)) return ["secrets GetParameters: unknown error"];
  const secrets = [...cause.message.matchAll(/^The secret (\w+) .*$/gm)];
  if (secrets.length > 0) return secrets.map(([sentence, name]) => `${sentence} ${putCommand(`${path}${name}`)}`);
  const [, type = cause.name] = /"__type":"(?:[^"]*#)?(\w+)"/.exec(cause.message) ?? [];
  return [`secrets GetParameters: ${type}`];
};

/** The value is typed without being shown, so that it is neither in the shell's history nor among the running programs. */
const putCommand = (name: string): string =>
  `Set it: read -rs V && printf %s "$V" | aws ssm put-parameter --overwrite --type SecureString --name ${name} --value file:///dev/stdin`;

/** Returns the secrets that an error may quote. A boolean is no secret: without it, nothing could be read in a log. */
const textsIn = (values: object = {}): string[] =>
  Object.values(values)
    .filter((value) => typeof value === "string" || typeof value === "number")
    .map(String);

/** Removes secrets from an error, which may quote them, and from its causes. */
const hideTexts = (error: unknown, secrets: readonly string[]): unknown => {
  // Longer secrets come first, because a secret may begin with another one.
  const texts = secrets.flatMap(quotedForms).toSorted((one, other) => other.length - one.length);
  const hidden = (text: string) => texts.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
  const seen = new Set<Error>();
  const hide = (value: unknown): unknown => {
    if (!(value instanceof Error)) return hidden(typeof value === "string" ? value : describeCause(value));
    if (seen.has(value)) return value;
    seen.add(value);
    const { message, stack = "", cause } = value;
    const changed = {
      stack: hidden(stack),
      message: hidden(message),
      ...(cause !== undefined && { cause: hide(cause) }),
    };
    // The message of a DOMException, such as that of a timeout, cannot be assigned.
    for (const [name, text] of Object.entries(changed))
      Object.defineProperty(value, name, { value: text, configurable: true, writable: true });
    return value;
  };
  return hide(error);
};

/** A shorter line, such as a bracket, is no secret, and would hide too much of the log. */
const shortestLine = 8;

/**
 * Returns the forms in which an error may quote a secret: as it is, as part of JSON, and as part of a URL or a form. Each line of a
 * secret has these forms too, because `inspect` quotes the lines of a string separately.
 */
const quotedForms = (secret: string): string[] => {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= shortestLine);
  return [secret, ...lines].flatMap(formsOf).filter(Boolean);
};

const formsOf = (text: string): string[] => {
  const wellFormed = text.toWellFormed();
  const inForm = new URLSearchParams([["", wellFormed]]).toString().slice(1);
  return [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(wellFormed), encodeURI(wellFormed), inForm];
};
