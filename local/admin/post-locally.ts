import { CommandError } from "./command-error.ts";

/** The error for a response that is not from this service. */
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
  /** How long to wait for an answer. */
  waitSeconds: number;
}

/**
 * Sends a request to the local service.
 *
 * @throws {CommandError} if there is no answer
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
    const message = `The service has not answered within ${waitSeconds} seconds. ${lookFirst}`;
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
