import { existsSync } from "node:fs";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { documentationPath, runbookPath } from "../../../lambdas/addresses.ts";
import { descriptionFile, missingDescriptionFile } from "../../../lambdas/functions/site/documentation.ts";
import { projectFolder } from "../project-folder.ts";
import { guideHtml, runbookHtml } from "./documents.ts";
import { atHashedPath, type SiteFile, writeStaticFiles } from "./static-files.ts";
import { webInterface } from "./web-interface.ts";

/** Writes the files that the site function serves into its folder. */
export const writeSite = async (folder: string): Promise<void> => {
  const [files] = await Promise.all([Promise.all([documents(), webInterface()]), copyDescription(folder)]);
  await writeStaticFiles(files.flat(), folder);
};

/** The service can be deployed without the description: its documentation page then explains what is missing. */
const copyDescription = async (folder: string): Promise<void> => {
  const file = join(projectFolder, descriptionFile);
  if (existsSync(file)) return copyFile(file, join(folder, descriptionFile));
  process.stderr.write(
    `Warning: ${descriptionFile}, which documents the API, is missing. Run npm run docs to generate it.\n`,
  );
};

const pageFolder = new URL("../../../web/documentation/", import.meta.url);

/** The documentation page, what stands in for it without the description, and the runbook. They share a style sheet. */
export const documents = async (): Promise<SiteFile[]> => {
  const assets = await Promise.all([
    asset("page.js", "text/javascript", "main.tsx"),
    asset("page.css", "text/css", "page.css"),
  ]);
  const hashed = new Map(assets.map((file) => [file.path, atHashedPath(file)]));
  const [guide, runbook] = await Promise.all([guideHtml(), runbookHtml()]);

  const page = async (path: string, name: string): Promise<SiteFile> => {
    let text = await readFile(new URL(name, pageFolder), "utf8");
    for (const [path, file] of hashed) text = text.replaceAll(relative(path), relative(file.path));
    const html = text.replace("<!-- guide -->", () => guide).replace("<!-- runbook -->", () => runbook);
    return { path, contentType: "text/html; charset=utf-8", bytes: Buffer.from(html) };
  };
  return [
    ...hashed.values(),
    await page(documentationPath, "page.html"),
    await page(runbookPath, "runbook.html"),
    { ...(await page(missingDescriptionFile, "missing-description.html")), status: 503 },
  ];
};

const asset = async (name: string, type: string, source: string): Promise<SiteFile> => ({
  path: `${documentationPath}/${name}`,
  contentType: `${type}; charset=utf-8`,
  bytes: await bundleForBrowsers(source),
});

/** A path as the page refers to it, relative to one level up. */
const relative = (path: string): string => path.replace("/api/", "");

const bundleForBrowsers = async (file: string): Promise<Buffer> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, pageFolder))],
    bundle: true,
    write: false,
    format: "esm",
    jsx: "automatic",
    // The same bytes on every machine, whatever NODE_ENV is.
    define: { "process.env.NODE_ENV": '"production"' },
    target: ["chrome123", "firefox120", "safari17.5"],
    minify: true,
    // The licences of the libraries ask for their notices.
    legalComments: "inline",
    logLevel: "warning",
  });
  const [output] = outputFiles;
  if (!output) throw new Error(`esbuild has written no file for ${file}.`);
  return Buffer.from(output.contents);
};
