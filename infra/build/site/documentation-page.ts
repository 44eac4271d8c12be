import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { documentationPath, missingDescriptionFile } from "../../../lambdas/functions/site/documentation.ts";
import { atHashedPath, type SiteFile } from "./static-files.ts";

const pageFolder = new URL("../../../web/documentation/", import.meta.url);

/** The files of the documentation page: Swagger UI as published, and this service's page around it. */
export const documentationPage = async (): Promise<SiteFile[]> => {
  const assets = await Promise.all([
    script("swagger-ui-bundle.js", libraryFile("swagger-ui-bundle.js")),
    script("page.js", bundleForBrowsers("page.ts")),
    asset("page.css", "text/css", bundleForBrowsers("page.css")),
  ]);
  const hashed = new Map(assets.map((file) => [file.path, atHashedPath(file)]));

  const html = async (name: string): Promise<Omit<SiteFile, "path">> => {
    let text = await readFile(new URL(name, pageFolder), "utf8");
    for (const [path, file] of hashed) text = text.replaceAll(relative(path), relative(file.path));
    return { contentType: "text/html; charset=utf-8", bytes: Buffer.from(text) };
  };

  return [
    ...hashed.values(),
    { path: documentationPath, ...(await html("page.html")) },
    { path: missingDescriptionFile, ...(await html("missing-description.html")), status: 503 },
    // The first line of the bundle refers to this file for the licences of its parts.
    await asset(licenseFile, "text/plain", libraryFile(licenseFile)),
  ];
};

const licenseFile = "swagger-ui-bundle.js.LICENSE.txt";

const asset = async (name: string, type: string, bytes: Promise<Buffer>): Promise<SiteFile> => ({
  path: `${documentationPath}/${name}`,
  contentType: `${type}; charset=utf-8`,
  bytes: await bytes,
});

const script = (name: string, bytes: Promise<Buffer>): Promise<SiteFile> => asset(name, "text/javascript", bytes);

/** A path as the page refers to it, one level up. */
const relative = (path: string): string => path.replace("/api/", "");

const libraryFile = (name: string): Promise<Buffer> =>
  readFile(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)));

const bundleForBrowsers = async (file: string): Promise<Buffer> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, pageFolder))],
    bundle: true,
    write: false,
    target: ["chrome123", "firefox120", "safari17.5"],
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
  const [output] = outputFiles;
  if (!output) throw new Error(`esbuild has written no file for ${file}.`);
  return Buffer.from(output.contents);
};
