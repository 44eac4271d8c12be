import { renderToString } from "react-dom/server.edge";
import { documentationPage, exampleAddress } from "../../../lambdas/shared/addresses.ts";
import { type Description, type Operation, operationsOf } from "../description.ts";
import { App } from "../shell/app.tsx";
import type { OperationPage, Site } from "../site.ts";
import { adaptChapters } from "./adapt-chapters.ts";
import { type ChapterSource, chapterPages, chapterTexts, firstSentence, html } from "./chapters.ts";
import { contentsText, errorsText, operationText } from "./markdown.ts";

export { documentHtml } from "./chapters.ts";

/** Renders all pages with an example base URL, which the service replaces with its own. */
export const renderSite = (description: Description, sources: readonly ChapterSource[]) => {
  const chapters = adaptChapters(sources, description);
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

/** Builds the documentation's content from the API description and the guide. */
const siteOf = (description: Description, chapters: readonly ChapterSource[]): Site => ({
  ...description.info,
  pages: [...chapterPages(chapters), ...operationPages(description, html)],
  errors: Object.fromEntries(
    Object.entries(description["x-errors"]).map(([code, { status, when, solve }]) => [
      code,
      { status, when: html(when), solve: html(solve) },
    ]),
  ),
});

/**
 * Returns the operations as pages, newest version first. Only pages of older versions have the version in their address.
 *
 * @throws {Error} if two operations have the same address
 */
export const operationPages = (description: Description, render: (markdown: string) => string): OperationPage[] => {
  const summaries = new Map(operationsOf(description, (text) => text).map(({ id, description }) => [id, description]));
  const operations = operationsOf(description, render);
  const versions = [...new Set(operations.map(versionOf))].toSorted((a, b) => numberOf(b) - numberOf(a));
  const tags = description.tags.map(({ name }) => name);
  const isNewest = (operation: Operation) => versionOf(operation) === versions[0];
  const pages = operations
    .toSorted(
      (a, b) =>
        versions.indexOf(versionOf(a)) - versions.indexOf(versionOf(b)) ||
        tags.indexOf(a.tag) - tags.indexOf(b.tag) ||
        rankOf(a) - rankOf(b),
    )
    .map((operation) => ({
      path: documentationPage(`${isNewest(operation) ? "" : `${versionOf(operation)}/`}${nameOf(operation)}`),
      title: operation.summary,
      about: firstSentence(summaries.get(operation.id) ?? ""),
      group: isNewest(operation) ? operation.tag.replace(/ \(\w+\)$/, "") : operation.tag,
      operation,
    }));
  const [twice] = pages.filter(({ path }, index) => pages.findIndex((page) => page.path === path) !== index);
  if (twice) throw new Error(`Two operations have the address ${twice.path}: rename ${twice.operation.id}.`);
  return pages;
};

const versionOf = ({ path }: Operation): string => path.split("/")[2] ?? "";
const numberOf = (version: string): number => Number(version.slice(1));

/** Names an operation for its address: `v1-create-key` at `/api/v1/key` becomes `keys/create`. */
const nameOf = ({ id, path }: Operation): string => {
  const resource = path.split("/")[3] ?? "";
  const words = id.split("-").slice(1);
  return `${resource}s/${words.filter((word) => word !== resource && word !== `${resource}s`).join("-")}`;
};

/** Sorts operations: create, list, read, other changes, replace or change, delete. */
const rankOf = ({ method, path }: Operation): number => {
  const [, , , , ...below] = path.split("/");
  if (method === "POST") return below.length === 0 ? 0 : 3;
  if (method === "GET") return below.length === 0 ? 1 : 2;
  return method === "DELETE" ? 5 : 4;
};
