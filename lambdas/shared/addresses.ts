/* Every path that the service publishes, below its base URL. The web interface uses this module too, so it imports nothing. */

/** Returns the path of an endpoint. */
export const versionPath = (version: string, path: string): string => `/api/${version}${path}`;

/** The calls that responses, error messages and the web interface tell clients to make. */
export const tokenPaths = {
  token: versionPath("v1", "/token"),
  rotation: versionPath("v1", "/token/rotation"),
  exchange: versionPath("v1", "/token/exchange"),
} as const;

export const documentationPath = "/api/documentation";

/** A placeholder for the service's address in the guide and in the pages built from it. */
export const exampleAddress = "https://api.example.com";

/** Redirects from common paths to documents whose real paths are below the documentation. */
export const shortcuts: Readonly<Record<string, string>> = {
  [`${documentationPath}/`]: documentationPath,
  "/llms.txt": `${documentationPath}/llms.txt`,
  "/llms-full.txt": `${documentationPath}/llms-full.txt`,
  "/openapi.json": `${documentationPath}/api-docs.json`,
};

/** Returns the path of a documentation page. `name` is the id of a chapter, or a name such as `keys/create`. */
export const documentationPage = (name: string): string => `${documentationPath}/${name}`;

/** The folder of the web interface's files. Each file name contains a hash of the content. */
export const assetsPath = "/assets";

/** The path from which the web interface reads its settings. */
export const settingsPath = "/settings.json";

/** Returns a heading's anchor, as GitHub and other renderers generate it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/**
 * Returns the paths of the web interface's pages for a service with these built-in and application stores. All serve the same file.
 */
export const pagePathsFor = (stores: readonly string[], applicationStores: readonly string[]): string[] => [
  addresses.tokens,
  ...(stores.includes("keys") ? [addresses.keys] : []),
  ...applicationStores.map((store) => addresses.recordsIn(store)),
  addresses.history,
];

/** Returns the stores whose records have their own page. */
export const recordStoresIn = (pages: readonly string[]): string[] =>
  pages.flatMap((path) => /^\/records\/(.+)$/.exec(path)?.[1] ?? []);

/** The pages of the web interface. The path identifies the page, and the query selects what it shows. */
export const addresses = {
  tokens: "/",
  token: (id: string) => `/?${new URLSearchParams({ token: id })}`,
  keys: "/keys",
  /** `query` holds the prefix and the cursor. */
  keysWith: (query: Readonly<Record<string, string>>) =>
    Object.keys(query).length === 0 ? addresses.keys : `/keys?${new URLSearchParams(query)}`,
  key: (id: string) => `/keys?${new URLSearchParams({ key: id })}`,
  /** Returns the address of a store's records. `query` holds the prefix and the cursor. */
  recordsIn: (store: string, query: Readonly<Record<string, string>> = {}) =>
    Object.keys(query).length === 0 ? `/records/${store}` : `/records/${store}?${new URLSearchParams(query)}`,
  history: "/history",
  /** `query` holds the filters and the cursor. */
  historyOf: (query: Readonly<Record<string, string>>) =>
    Object.keys(query).length === 0 ? addresses.history : `/history?${new URLSearchParams(query)}`,
  /** The parameter makes the page link back to the web interface. */
  documentation: `${documentationPath}?from=web`,
} as const;
