import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { assetsPath, runbookPath } from "../../../lambdas/addresses.ts";
import { projectFolder } from "../project-folder.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { atHashedPath, type SiteFile } from "./static-files.ts";

const pageFolder = new URL("../../../web/runbook/", import.meta.url);

/** The page that alarms refer to: docs/runbook.md as HTML, with an anchor at each heading. */
export const runbookPage = async (): Promise<SiteFile[]> => {
  const [template, style, text] = await Promise.all([
    readFile(new URL("page.html", pageFolder), "utf8"),
    readFile(new URL("page.css", pageFolder)),
    readFile(join(projectFolder, "docs/runbook.md"), "utf8"),
  ]);
  const styleSheet = atHashedPath({
    path: `${assetsPath}/runbook.css`,
    contentType: "text/css; charset=utf-8",
    bytes: style,
  });
  const html = template
    .replace("assets/runbook.css", styleSheet.path.slice(1))
    .replace("<!-- runbook -->", () => renderMarkdown(text));
  return [styleSheet, { path: runbookPath, contentType: "text/html; charset=utf-8", bytes: Buffer.from(html) }];
};
