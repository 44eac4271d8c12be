import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { createControl } from "./control.ts";
import { answerPutEvents } from "./messages/events.ts";
import type { MessageContext } from "./messages/message-context.ts";
import { answerPublish } from "./messages/sns.ts";
import { messageOf } from "./support/local-error.ts";
import { readBody } from "./support/read-body.ts";
import { isFromWebPage, webPageRefusal } from "./support/web-page.ts";

// Messages of 256 KB, each byte of which may be written as three characters.
const maximumBodyBytes = 1024 * 1024;

interface AwsApiOptions {
  invokeApi: RequestListener;
  messages: MessageContext;
  control: ReturnType<typeof createControl>;
  log: (text: string) => void;
}

/** Makes the listener of the port that stands in for Lambda, SNS and EventBridge, and controls the run. */
export const createAwsApi = ({ invokeApi, messages, control, log }: AwsApiOptions): RequestListener => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, method } = request;
    const { pathname = "" } = URL.parse(request.url ?? "", "http://localhost") ?? {};
    const isEvents = headers["x-amz-target"] !== undefined;
    const isQuery = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
    const isMessage = method === "POST" && pathname === "/" && (isEvents || isQuery);
    if (!isMessage && !control.hasPath(pathname)) return invokeApi(request, response);
    if (isFromWebPage(headers)) {
      const text = JSON.stringify({ message: webPageRefusal });
      return void response.writeHead(403, { "content-type": "application/json" }).end(text);
    }
    if (!isMessage) return control.answer(request, response, pathname);
    const body = await readBody(request, maximumBodyBytes);
    if (body === undefined) return void response.writeHead(413).end();
    const message = { headers, body: body.toString(), response };
    return isEvents ? answerPutEvents(message, messages) : answerPublish(message, messages);
  };

  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      log(`${request.method} ${request.url}: ${messageOf(error)}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  };
};
