import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Middleware } from "cdk-local-runner";
import { createServer } from "vite";
import { settingsPath } from "../../lambdas/shared/addresses.ts";

export interface DevWebInterface {
  middleware: Middleware;
  close: () => Promise<void>;
}

/**
 * Starts Vite's development server for the web interface at the address of the API, so that signing in works as it does when
 * deployed. Requests that are not for source files of the web interface go on to the functions.
 */
export const startDevWebInterface = async ({
  webFolder,
  reloadPort,
}: {
  webFolder: string;
  /** The port that notifies browsers of changes. */
  reloadPort: number;
}): Promise<DevWebInterface> => {
  const vite = await createServer({
    root: webFolder,
    configLoader: "native",
    appType: "custom",
    logLevel: "warn",
    // Leaves out the documentation page, whose script is built.
    optimizeDeps: { entries: "index.html" },
    server: { middlewareMode: true, hmr: { host: "127.0.0.1", port: reloadPort } },
  });

  const middleware: Middleware = (request, response, next) => {
    if (isForFunctions(request)) return next();
    if (!isPage(request)) return vite.middlewares(request, response, next);
    readFile(join(webFolder, "index.html"), "utf8")
      .then((html) => vite.transformIndexHtml(request.url ?? "/", html))
      .then((html) =>
        response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache" }).end(html),
      )
      .catch(next);
  };
  return { middleware, close: () => vite.close() };
};

/**
 * Checks whether a request must bypass Vite, which would respond to preflight requests, add headers for other origins and reject
 * other host names.
 */
const isForFunctions = ({ url = "" }: IncomingMessage): boolean =>
  /^\/(api|admin)\//.test(url) || url.split("?")[0] === settingsPath;

/**
 * Checks whether a request is for a page. It accepts any page that a service may have, because only the script knows the actual
 * pages.
 */
const isPage = ({ method, url = "", headers }: IncomingMessage): boolean =>
  method === "GET" &&
  headers.accept?.includes("text/html") === true &&
  /^\/(keys|history|records\/\w+)?(\?|$)/.test(url);
