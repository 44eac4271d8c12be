import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod/mini";
import { endInTime, withDeadline } from "../dynamodb/client/deadline.ts";
import { AwsRefusal, connectToService, type SendToService } from "../shared/aws/connect-to-service.ts";
import { requireVariable, secretsPathVariable } from "../shared/environment.ts";
import { ApiError } from "../shared/errors/api-error.ts";
import { ArgumentRefused } from "../shared/errors/argument-refused.ts";
import { RecordRefused } from "../shared/errors/record-refused.ts";
import { concealInLog, describeCause, log } from "../shared/log.ts";
import type { Words } from "../shared/validation/validate.ts";
import { concealing } from "./conceal.ts";
import { type Declared, readSettings, type Valued, valuesOf } from "./read-settings.ts";

const keptMilliseconds = 5 * 60_000;
/** How long the old secrets stay in use after a failed read, before the next attempt. */
const pauseMilliseconds = 30_000;
const attemptMilliseconds = 1_000;
const maximumAttempts = 3;
const maximumNames = 10;

/**
 * Gives the handler of an endpoint or a job its settings and secrets. Secrets are read when the handler is first called, and again
 * when it is called after five minutes. The caller of an endpoint has been verified by then, so strangers cause no reads.
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

  /** All secrets so far, because a call may still use one that has been rotated meanwhile. */
  const known = new Set<string>();
  let conceal = concealing(known);
  const startConcealing = (values: object): void => {
    // Booleans stay visible, because hiding every `true` or `false` would make logs unreadable.
    for (const value of Object.values(values)) if (typeof value !== "boolean") known.add(String(value));
    conceal = concealing(known);
    concealInLog(conceal);
  };

  const read = async (): Promise<object> => {
    if (kept && Date.now() < kept.until) return kept.values;
    try {
      kept = { values: await readNow(), until: Date.now() + keptMilliseconds };
      startConcealing(kept.values);
    } catch (error) {
      if (!kept) throw error;
      kept.until = Date.now() + pauseMilliseconds;
      log("warn", { message: "secrets_kept", cause: describeCause(error instanceof ApiError ? error.cause : error) });
    }
    return kept.values;
  };

  const handler: Declared<Result>["handler"] = async (input, ...others) => {
    const values = await read();
    try {
      return await declared.handler({ ...Object(input), settings, secrets: values }, ...others);
    } catch (error) {
      throw withoutSecrets(error, conceal);
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

/**
 * Hides secrets in an error that leaves the function: in the response, or for an error of a job in what Lambda logs. Errors that no
 * caller handles keep only their name, message and stack.
 */
const withoutSecrets = (error: unknown, conceal: (text: string) => string): unknown => {
  if (error instanceof RecordRefused || error instanceof ArgumentRefused) return error;
  if (error instanceof ApiError) {
    error.message = conceal(error.message);
    for (const [name, value] of Object.entries(error.headers)) error.headers[name] = conceal(value);
    if (error.cause !== undefined) error.cause = withoutSecrets(error.cause, conceal);
    return error;
  }
  const { name, message, stack = "" } = error instanceof Error ? error : new Error(describeCause(error));
  return Object.assign(new Error(conceal(message)), { name: conceal(name), stack: conceal(stack) });
};
