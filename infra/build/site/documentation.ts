import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { documentationPath, runbookPath } from "../../../lambdas/addresses.ts";
import { api } from "../../../lambdas/api.ts";
import { missingDescriptionFile, unknownPageFile } from "../../../lambdas/functions/site/documentation.ts";
import { describeApi } from "../description/describe-api.ts";
import { type Chapter, guideChapters, runbook } from "./documents.ts";
import { atHashedPath, type SiteFile } from "./static-files.ts";
import { cachedBuild } from "./web-interface.ts";

/** The documentation: a page for each chapter and operation, and the same as Markdown. With it, the runbook. */
export const documentation = (): Promise<SiteFile[]> => {
  const description = describeApi(api);
  return cachedBuild({
    name: "documentation",
    inputs: [
      ...["web/documentation", "web/parts/use-once.ts", "docs/guide", "docs/runbook.md", "infra/build/site"],
      ...["lambdas/addresses.ts", "package-lock.json"],
    ],
    about: JSON.stringify(description),
    build: () => renderDocumentation(description),
  });
};

const pageFolder = fileURLToPath(new URL("../../../web/documentation/", import.meta.url));

/** What web/documentation/server/render.tsx exports. */
interface Renderer {
  renderSite(description: object, chapters: Chapter[]): RenderedSite;
  documentHtml(markdown: string): string;
}

interface RenderedSite {
  site: object;
  pages: { path: string; title: string; about: string; html: string; markdown: string }[];
  notFound: string;
  contents: string;
}

const renderDocumentation = async (description: object): Promise<SiteFile[]> => {
  const server = await bundle({ entryPoints: [`${pageFolder}server/render.tsx`] });
  const { renderSite, documentHtml }: Renderer = await import(
    `data:text/javascript;base64,${Buffer.from(server).toString("base64")}`
  );
  const { site, pages, notFound, contents } = renderSite(description, await guideChapters());
  const script = atHashedPath({
    path: `${documentationPath}/page.js`,
    contentType: "text/javascript; charset=utf-8",
    bytes: await bundle({
      stdin: {
        contents: `import { start } from "./main.tsx"; start(${JSON.stringify(site)});`,
        resolveDir: pageFolder,
      },
      // The licences of the libraries ask for their notices.
      legalComments: "inline",
    }),
  });
  const style = atHashedPath({
    path: `${documentationPath}/page.css`,
    contentType: "text/css; charset=utf-8",
    bytes: await bundle({ entryPoints: [`${pageFolder}page.css`] }),
  });

  /** A page from its template. The values are HTML. */
  const page = async (path: string, template: string, values: Record<string, string> = {}): Promise<SiteFile> => {
    const all: Record<string, string> = { ...values, script: script.path, style: style.path };
    const text = await readFile(pageFolder + template, "utf8");
    const html = text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => all[name] ?? "");
    return { path, contentType: "text/html; charset=utf-8", bytes: Buffer.from(html) };
  };
  const text = (path: string, type: string, content: string): SiteFile => ({
    path,
    contentType: `${type}; charset=utf-8`,
    bytes: Buffer.from(content),
    namesAddress: true,
  });
  return [
    script,
    style,
    ...(await Promise.all(
      pages.flatMap(({ path, title, about, html, markdown }) => [
        page(path, "page.html", {
          title: path === documentationPath ? "API documentation" : `${escaped(title)} · API documentation`,
          about: escaped(about),
          markdown: `${path}.md`,
          html,
        }).then((file) => ({ ...file, namesAddress: true })),
        text(`${path}.md`, "text/markdown", markdown),
      ]),
    )),
    {
      ...(await page(unknownPageFile, "page.html", {
        title: "Page not found · API documentation",
        about: "The list of all pages.",
        markdown: `${documentationPath}/llms.txt`,
        html: notFound,
      })),
      status: 404,
      namesAddress: true,
    },
    text(`${documentationPath}/llms.txt`, "text/plain", contents),
    await page(runbookPath, "runbook.html", { html: documentHtml(await runbook()) }),
    { ...(await page(missingDescriptionFile, "missing-description.html")), status: 503 },
  ];
};

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const bundle = async (options: Parameters<typeof build>[0]): Promise<Buffer> => {
  const { outputFiles = [] } = await build({
    bundle: true,
    write: false,
    format: "esm",
    jsx: "automatic",
    // The same bytes on every machine, whatever NODE_ENV is.
    define: { "process.env.NODE_ENV": '"production"' },
    target: ["chrome123", "firefox120", "safari17.5"],
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    ...options,
  });
  const [output] = outputFiles;
  if (!output) throw new Error("esbuild has written no file.");
  return Buffer.from(output.contents);
};
