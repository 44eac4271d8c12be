import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import type { Service } from "../../lambdas/declaration/service.ts";
import { documentationPath } from "../../lambdas/shared/addresses.ts";
import { missingDescriptionFile, unknownPageFile } from "../../lambdas/site/serve-documentation.ts";
import { describeApi } from "../../openapi/describe-api.ts";
import { cachedBuild } from "./build-web-interface.ts";
import { type Chapter, guideChapters } from "./guide-documents.ts";
import { atHashedPath, type SiteFile } from "./site-files.ts";

/** Builds the documentation: a page for each chapter and operation, and a Markdown version of each page. */
export const documentation = async (service: Service): Promise<SiteFile[]> => {
  const description = describeApi(service);
  const chapters = await guideChapters(service);
  return cachedBuild({
    name: "documentation",
    inputs: [
      "web/documentation",
      "web/admin/parts/brand-mark.tsx",
      "web/admin/parts/use-once.ts",
      "web/site",
      "lambdas/shared/addresses.ts",
      "openapi/clients",
    ],
    about: JSON.stringify([description, chapters]),
    build: () => renderDocumentation(description, chapters),
  });
};

const pageFolder = fileURLToPath(new URL("../documentation/", import.meta.url));

/** The exports of web/documentation/server/render.tsx. */
interface Renderer {
  renderSite(description: object, chapters: Chapter[]): RenderedSite;
  documentHtml(markdown: string): string;
}

interface RenderedSite {
  site: { title: string };
  pages: { path: string; title: string; about: string; html: string; markdown: string }[];
  notFound: string;
  contents: string;
}

const renderDocumentation = async (description: object, chapters: Chapter[]): Promise<SiteFile[]> => {
  const server = await bundle({ entryPoints: [`${pageFolder}server/render.tsx`] });
  const { renderSite, documentHtml }: Renderer = await import(
    `data:text/javascript;base64,${Buffer.from(server).toString("base64")}`
  );
  const { site, pages, notFound, contents } = renderSite(description, chapters);
  const siteTitle = escaped(site.title);
  const script = await asset("page.js", "text/javascript", {
    stdin: {
      contents: `import { start } from "./main.tsx"; start(${JSON.stringify(site)});`,
      resolveDir: pageFolder,
    },
    // The licences of the libraries require their notices to be kept.
    legalComments: "inline",
  });
  const early = await asset("early.js", "text/javascript", {
    entryPoints: [`${pageFolder}shell/early.ts`],
    format: "iife",
  });
  const style = await asset("page.css", "text/css", { entryPoints: [`${pageFolder}page.css`] });

  /** Fills in the template of a page. The values are HTML. */
  const page = async (path: string, template: string, values: Record<string, string>): Promise<SiteFile> => {
    const all: Record<string, string> = {
      ...values,
      script: script.path,
      early: early.path,
      style: style.path,
    };
    const text = await readFile(pageFolder + template, "utf8");
    const html = text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => all[name] ?? "");
    return { path, contentType: "text/html; charset=utf-8", bytes: Buffer.from(html) };
  };
  const missingDescription = await readFile(`${pageFolder}missing-description.md`, "utf8");
  const withAddress = await Promise.all([
    ...pages.map(({ path, title, about, html }) =>
      page(path, "page.html", {
        title: path === documentationPath ? siteTitle : `${escaped(title)} · ${siteTitle}`,
        about: escaped(about),
        markdown: `${path}.md`,
        html,
      }),
    ),
    ...pages.map(({ path, markdown }) => textFile(`${path}.md`, "text/markdown", markdown)),
    textFile(contentsPath, "text/plain", contents),
    textFile(`${documentationPath}/llms-full.txt`, "text/plain", pages.map(({ markdown }) => markdown).join("\n\n")),
    page(unknownPageFile, "page.html", {
      title: `Page not found · ${siteTitle}`,
      about: "The list of all pages.",
      markdown: contentsPath,
      html: notFound,
    }).then((file) => ({ ...file, status: 404 })),
  ]);
  return [
    script,
    early,
    style,
    ...withAddress.map((file) => ({ ...file, namesAddress: true })),
    {
      ...(await page(missingDescriptionFile, "notice.html", {
        title: `${siteTitle}: api-docs.json is missing`,
        html: documentHtml(missingDescription),
      })),
      status: 503,
    },
  ];
};

const contentsPath = `${documentationPath}/llms.txt`;

const textFile = (path: string, type: string, content: string): SiteFile => ({
  path,
  contentType: `${type}; charset=utf-8`,
  bytes: Buffer.from(content),
});

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const asset = async (name: string, type: string, options: BuildOptions): Promise<SiteFile> =>
  atHashedPath({
    path: `${documentationPath}/${name}`,
    contentType: `${type}; charset=utf-8`,
    bytes: await bundle(options),
  });

/** Resolves the service modules that the pages import. In the built package, these modules are JavaScript. */
const builtModules: Plugin = {
  name: "built-modules",
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => {
      const source = join(resolveDir, path);
      return { path: existsSync(source) ? source : source.replace(/ts$/, "js") };
    });
  },
};

const bundle = async (options: BuildOptions): Promise<Buffer> => {
  const { outputFiles = [] } = await build({
    bundle: true,
    write: false,
    format: "esm",
    jsx: "automatic",
    // Makes the output the same on every machine, whatever NODE_ENV is.
    define: { "process.env.NODE_ENV": '"production"' },
    target: ["chrome123", "firefox120", "safari17.5"],
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [builtModules],
    ...options,
  });
  const [output] = outputFiles;
  if (!output) throw new Error("esbuild has written no file.");
  return Buffer.from(output.contents);
};
