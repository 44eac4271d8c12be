import * as z from "zod/mini";
import { errorCatalogue, otherErrors } from "../../lambdas/shared/errors/catalogue.ts";
import { CommandError } from "./command.ts";

// Longer than the timeout of the admin function.
const patienceSeconds = 40;

const functionError = z.object({ errorType: z.optional(z.string()), errorMessage: z.string() });
const lambdaError = z.object({ message: z.optional(z.string()), Message: z.optional(z.string()) });

interface InvokeOptions {
  /** The port of the local Invoke API. */
  port: number;
  /** How long to wait for a response. */
  waitSeconds?: number;
}

/**
 * Sends an event to the admin function of the local service, and returns its result.
 *
 * @throws {CommandError} that says whether the action was carried out, if that is known.
 */
export const invokeAdmin = async (
  event: object,
  { port, waitSeconds = patienceSeconds }: InvokeOptions,
): Promise<unknown> => {
  const path = "/2015-03-31/functions/admin/invocations";
  const { response, text } = await postLocally(JSON.stringify(event), { path, port, waitSeconds });
  const answer = parseJson(text);
  if (response.status === 200 && response.headers.has("x-amz-executed-version") && answer !== undefined) {
    if (!response.headers.has("x-amz-function-error")) return answer.value;
    throw functionFailure(answer.value, response.headers.get("x-amzn-requestid"));
  }
  if (response.headers.has("x-amzn-errortype")) {
    const { data } = z.safeParse(lambdaError, answer?.value);
    const problem = `The service rejected the call: ${data?.message ?? data?.Message ?? text}`;
    throw response.status < 500
      ? new CommandError("refused", problem)
      : new CommandError("unclear", `${problem} ${lookFirst}`);
  }
  throw somethingElse(port);
};

/**
 * Returns the error for a failed invocation. If the catalogue lists the error with a status below 500, nothing was changed. After
 * any other error, the change may have been made.
 */
const functionFailure = (answer: unknown, requestId: string | null): CommandError => {
  const { data } = z.safeParse(functionError, answer);
  const { errorType = "", errorMessage } = data ?? { errorMessage: JSON.stringify(answer) };
  const known = new Map<string, { status: number }>(Object.entries({ ...errorCatalogue, ...otherErrors })).get(
    errorType,
  );
  if (known !== undefined && known.status < 500) return new CommandError("refused", errorMessage);
  const problem = known ? errorMessage : `The admin function failed: ${errorMessage}.`;
  return new CommandError(
    "unclear",
    `${problem} ${lookFirst} The service's log has more, under the request id ${requestId}.`,
  );
};

const parseJson = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

/** Returns the error for a response that is not from this service. */
export const somethingElse = (port: number, options?: ErrorOptions): CommandError =>
  new CommandError(
    "unreachable",
    `Something other than this service answers on port ${port}, which is PORT + 1. Set PORT to the port that the service was started with, such as PORT=4000.`,
    options,
  );

export const lookFirst = "The action may have been carried out: check before you repeat it.";

interface PostOptions {
  path: string;
  /** The port of the local Invoke API. */
  port: number;
  /** How long to wait for a response. */
  waitSeconds: number;
}

/**
 * Sends a request to the local service.
 *
 * @throws {CommandError} if there is no response
 */
export const postLocally = async (body: string, { path, port, waitSeconds }: PostOptions) => {
  try {
    const signal = AbortSignal.timeout(waitSeconds * 1000);
    const url = `http://127.0.0.1:${port}${path}`;
    const response = await fetch(url, { method: "POST", body, signal, redirect: "manual" });
    return { response, text: await response.text() };
  } catch (error) {
    throw connectionFailure(error, { port, waitSeconds });
  }
};

const connectionFailure = (error: unknown, { port, waitSeconds }: Omit<PostOptions, "path">): CommandError => {
  const options = { cause: error };
  if (error instanceof Error && error.name === "TimeoutError") {
    const message = `The service has not responded within ${waitSeconds} seconds. ${lookFirst}`;
    return new CommandError("unclear", message, options);
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const code = codeOf(cause);
  if (code === "ECONNREFUSED") {
    const message = `No service answers on port ${port}, which is PORT + 1. Start it with npm start in another terminal. If it runs, set PORT to the port that it was started with, such as PORT=4000.`;
    return new CommandError("unreachable", message, options);
  }
  if (cause instanceof Error && cause.name === "HTTPParserError") return somethingElse(port, options);
  const message = `The connection to the service on port ${port} broke before it answered (${code}). ${lookFirst}`;
  return new CommandError("unclear", message, options);
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "no reason given";
