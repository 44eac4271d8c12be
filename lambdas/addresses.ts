/*
 * Every address that the service gives out, as a path below its base URL. The web interface uses this module too, so it imports
 * nothing.
 */

/** The path of an endpoint. */
export const versionPath = (version: string, path: string): string => `/api/${version}${path}`;

/** The calls that responses, messages and the web interface tell a client to make. */
export const tokenPaths = {
  token: versionPath("v1", "/token"),
  rotation: versionPath("v1", "/token/rotation"),
  exchange: versionPath("v1", "/token/exchange"),
} as const;

export const documentationPath = "/api/documentation";

/** Stands for the address of the service in the guide and in the pages that are built from it. */
export const exampleAddress = "https://api.example.com";

/** Where programs and people look for something that has its address below that of the documentation. */
export const shortcuts: Readonly<Record<string, string>> = {
  [`${documentationPath}/`]: documentationPath,
  "/llms.txt": `${documentationPath}/llms.txt`,
  "/openapi.json": `${documentationPath}/api-docs.json`,
};

/** The path of a page of the documentation: the id of a chapter, or `keys/create`. */
export const documentationPage = (name: string): string => `${documentationPath}/${name}`;

/** The folder of the web interface's files, each with its hash in its name. */
export const assetsPath = "/assets";

/** The path from which the web interface reads its settings. */
export const settingsPath = "/settings.json";

/** The anchor of a heading in a rendered document, as GitHub and others make it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/** The paths of the web interface's pages for a service with these stores, and own stores. The same file is served at each. */
export const pagePathsFor = (stores: readonly string[], ownStores: readonly string[]): string[] => [
  addresses.tokens,
  ...(stores.includes("keys") ? [addresses.keys] : []),
  ...ownStores.map((store) => addresses.recordsIn(store)),
  addresses.history,
];

/** The stores whose records have a page of their own. */
export const recordStoresIn = (pages: readonly string[]): string[] =>
  pages.flatMap((path) => /^\/records\/(.+)$/.exec(path)?.[1] ?? []);

/** The pages of the web interface. The path names the page, and the query selects what it shows. */
export const addresses = {
  tokens: "/",
  token: (id: string) => `/?${new URLSearchParams({ token: id })}`,
  keys: "/keys",
  keysAfter: (cursor?: string) =>
    cursor === undefined ? addresses.keys : `/keys?${new URLSearchParams({ after: cursor })}`,
  keysWithPrefix: (prefix: string) => `/keys?${new URLSearchParams({ prefix })}`,
  key: (id: string) => `/keys?${new URLSearchParams({ key: id })}`,
  /** The records of a store. `query` has the prefix and the cursor. */
  recordsIn: (store: string, query: Readonly<Record<string, string>> = {}) =>
    Object.keys(query).length === 0 ? `/records/${store}` : `/records/${store}?${new URLSearchParams(query)}`,
  history: "/history",
  /** `query` has the filters and the cursor. */
  historyOf: (query: Readonly<Record<string, string>>) =>
    Object.keys(query).length === 0 ? addresses.history : `/history?${new URLSearchParams(query)}`,
  /** With this parameter, the page links back to the web interface. */
  documentation: `${documentationPath}?from=web`,
} as const;
