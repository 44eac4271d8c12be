/** The paths of the web interface's pages: the API settings, the key management and the history. The same file is served at each. */
export const pagePaths = ["/", "/keys", "/history"] as const;

/** The folder of the web interface's files, each with its hash in its name. */
export const assetsPath = "/assets";

/** The page that tells operators what to do about an alarm. */
export const runbookPath = "/runbook";
