import { apiChain } from "../middlewares/chain.ts";
import type { ApiEvent } from "../middlewares/request.ts";
import { documentationPath, settingsPath } from "../shared/addresses.ts";
import { otherError } from "../shared/errors/api-error.ts";
import { contentOf, renderContent } from "./content.ts";
import { notFoundPage } from "./not-found-page.ts";
import { documentation, type Source, unknownPageFile } from "./serve-documentation.ts";
import { readLoginOrigins, readSettings } from "./settings-json.ts";
import { contentSecurityPolicy, siteHeaders } from "./site-headers.ts";
import { readStaticFiles } from "./static-files.ts";

/** The web interface settings that depend on the service. */
interface SiteOptions {
  /** The paths of its pages. */
  pages: readonly string[];
}

/**
 * Creates the Lambda handler of everything that a browser loads: the files in the function's folder, and the settings of this
 * deployment. All of it is public.
 */
export const serveSite = (folder: string, { pages }: SiteOptions) => {
  const settings = readSettings();
  const settingsFile = contentOf(Buffer.from(JSON.stringify({ ...settings, pages })), {
    contentType: "application/json",
  });
  const files = readStaticFiles(folder, settings.base_url);
  const sources = new Map<string, Source>([
    ...[...files].map(([path, content]): [string, Source] => [path, async () => content]),
    ...Object.entries(documentation({ folder, files, baseUrl: settings.base_url })),
    [settingsPath, async () => settingsFile],
  ]);
  const pageHeaders = {
    "Content-Security-Policy": contentSecurityPolicy(...readLoginOrigins(settings)),
  };

  const unknownPage = async (event: ApiEvent) => {
    const page = event.rawPath.startsWith(documentationPath) && (await sources.get(unknownPageFile)?.());
    return page ? renderContent(page, event) : undefined;
  };
  const chain = apiChain({ headers: siteHeaders, asksForJson: () => false }).use(
    notFoundPage({ replacementPage: unknownPage }),
  );
  return chain.handler<ApiEvent>(async (event) => {
    const content = await sources.get(event.rawPath)?.();
    if (!content) throw otherError("endpoint_not_found");
    const response = await renderContent(content, event);
    // Only the pages connect to the login service.
    return pages.includes(event.rawPath) ? { ...response, headers: { ...response.headers, ...pageHeaders } } : response;
  });
};
