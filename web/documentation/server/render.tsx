import { renderToString } from "react-dom/server.edge";
import { exampleAddress } from "../../../lambdas/shared/addresses.ts";
import type { Description } from "../description.ts";
import { App } from "../shell/app.tsx";
import { type ChapterSource, chapterTexts } from "./chapters.ts";
import { contentsText, errorsText, operationText } from "./markdown.ts";
import { operationPages, siteOf } from "./pages.ts";

export { documentHtml } from "./chapters.ts";

/** Renders all pages with an example base URL, which the service replaces with its own. */
export const renderSite = (description: Description, chapters: readonly ChapterSource[]) => {
  const site = siteOf(description, chapters);
  const texts = chapterTexts(chapters);
  for (const { path, operation } of operationPages(description, (text) => text))
    texts.set(path, operationText(operation));
  const errorList = errorsText(description["x-errors"]);
  const render = (path: string) => renderToString(<App site={site} path={path} address={exampleAddress} />);
  return {
    site,
    pages: site.pages.map((page) => ({
      path: page.path,
      title: page.title,
      about: page.about,
      html: render(page.path),
      markdown: `${texts.get(page.path)}${"id" in page && page.id === "errors" ? `\n${errorList}` : ""}`,
    })),
    notFound: render(""),
    contents: contentsText(site.title, site.pages),
  };
};
