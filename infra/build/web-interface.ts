import { fileURLToPath } from "node:url";
import { pagePaths } from "../../lambdas/functions/site/pages.ts";
import { cachedBuild } from "./build-cache.ts";
import type { SiteFile } from "./static-files.ts";

const folder = fileURLToPath(new URL("../../web", import.meta.url));

/** The files of the web interface, as Vite builds them. All but the document have the hash of their content in their names. */
export const webInterface = (): Promise<SiteFile[]> =>
  cachedBuild({
    name: "web-interface",
    inputs: ["web", "infra/build/web-interface.ts", "lambdas/functions/site/pages.ts", "package-lock.json"],
    build: buildWithVite,
  });

const buildWithVite = async (): Promise<SiteFile[]> => {
  // To load Vite takes as long as a third of the build.
  const { build } = await import("vite");
  const result = await build({ root: folder, configLoader: "native", logLevel: "warn", build: { write: false } });
  if (Array.isArray(result) || !("output" in result)) throw new Error("Vite did not build one set of files.");
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
  if (contentType === undefined) throw new Error(`The web interface has a file of an unknown kind, ${name}.`);
  return [{ path: `/${name}`, contentType, bytes, isImmutable: !name.endsWith(".md") }];
};
