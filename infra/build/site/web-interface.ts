import { join } from "node:path";
import { pagePaths } from "../../../lambdas/addresses.ts";
import { projectFolder } from "../project-folder.ts";
import { cachedBuild } from "./build-cache.ts";
import type { SiteFile } from "./static-files.ts";

/** The files of the web interface, built with Vite. All names but that of the document contain a hash of the content. */
export const webInterface = (): Promise<SiteFile[]> =>
  cachedBuild({
    name: "web-interface",
    inputs: [
      "web",
      // What the pages share with the service.
      ...["lambdas/addresses.ts", "lambdas/admin", "lambdas/errors", "lambdas/resources", "lambdas/validation"],
      ...["infra/build/site/web-interface.ts", "package-lock.json"],
    ],
    build: buildWithVite,
  });

const buildWithVite = async (): Promise<SiteFile[]> => {
  // Loading Vite takes a third of the time of a build.
  const { build } = await import("vite");
  const result = await build({
    root: join(projectFolder, "web"),
    configLoader: "native",
    logLevel: "warn",
    build: { write: false },
  });
  if (Array.isArray(result) || !("output" in result)) throw new Error("Vite has not built exactly one set of files.");
  return result.output.flatMap((file) =>
    siteFiles(file.fileName, Buffer.from(file.type === "chunk" ? file.code : file.source)),
  );
};

const contentTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  md: "text/plain; charset=utf-8",
};

const siteFiles = (name: string, bytes: Buffer): SiteFile[] => {
  if (name === "index.html") return pagePaths.map((path) => ({ path, contentType: "text/html; charset=utf-8", bytes }));
  const contentType = contentTypes[name.split(".").at(-1) ?? ""];
  if (contentType === undefined)
    throw new Error(`The content type of ${name}, a file of the web interface, is unknown.`);
  return [{ path: `/${name}`, contentType, bytes, isImmutable: !name.endsWith(".md") }];
};
