import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../support/local-error.ts";
import { sendGatewayAnswer } from "./function-response.ts";

/** Answers a request, or passes it on by calling `next`: the form of Connect, Express and Vite's middleware mode. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Asks the middleware before the listener. */
export const withMiddleware = (
  middleware: Middleware | undefined,
  listener: Listener,
  log: (text: string) => void,
): Listener => {
  if (middleware === undefined) return listener;
  return (request, response) => {
    const next = (error?: unknown) => {
      if (error === undefined || error === null) return listener(request, response);
      log(`Middleware: ${request.method} ${request.url}: ${messageOf(error)}`);
      if (!response.headersSent) sendGatewayAnswer(response, 500, "Internal Server Error");
    };
    try {
      middleware(request, response, next);
    } catch (error) {
      next(error);
    }
  };
};
