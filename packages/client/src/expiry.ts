/** What the service says about a token that expires within 30 days. */
export interface TokenExpiring {
  expiresAt: Date;
  /** The call that replaces the token; `undefined` if it has a successor already. */
  rotation: string | undefined;
}

/** Tells the user that a token expires. An error, or a promise that rejects, does not affect the call. */
export type OnTokenExpiring = (expiring: TokenExpiring) => unknown;

/** The end of a token as a response announces it; `undefined` without the header, or if it cannot be read. */
export const announcedEnd = ({ headers }: Response): Date | undefined => {
  const text = headers.get("X-Token-Expires-At") ?? "";
  const end = new Date(text);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && end.getTime() ? end : undefined;
};

/** Makes a function that tells the user about the end that a response announces, once for each token and end. */
export const announcer = (tell: OnTokenExpiring): ((response: Response, token: string) => void) => {
  let told = "";
  return (response, token) => {
    const expiresAt = announcedEnd(response);
    const news = `${token} ${expiresAt?.getTime()}`;
    if (expiresAt === undefined || news === told) return;
    told = news;
    const rotation = response.headers.get("X-Token-Rotation") ?? undefined;
    const telling = async () => tell({ expiresAt, rotation });
    telling().catch((error: unknown) => console.warn("onTokenExpiring failed:", error));
  };
};

/** What a client does by default. */
export const warnOfExpiry: OnTokenExpiring = ({ expiresAt, rotation }) => {
  const advice =
    rotation === undefined
      ? "It has a successor already: switch to that before then."
      : "Call rotate() before then, and store the new token.";
  console.warn(`The access token for the Integration API expires at ${expiresAt.toISOString()}. ${advice}`);
};
