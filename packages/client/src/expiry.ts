/** The service's warning about a token that expires within 30 days. */
export interface TokenExpiring {
  expiresAt: Date;
  /** The call that replaces the token; `undefined` if the token already has a successor, or if no successor would last longer. */
  rotation: string | undefined;
}

/** Notifies the user that a token expires. If it throws, or returns a promise that rejects, the call is not affected. */
export type OnTokenExpiring = (expiring: TokenExpiring) => unknown;

/** Returns the expiry date that a response announces; `undefined` if the header is missing or unreadable. */
export const announcedEnd = ({ headers }: Response): Date | undefined => {
  const text = headers.get("X-Token-Expires-At") ?? "";
  const end = new Date(text);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && end.getTime() ? end : undefined;
};

/** Creates a function that notifies the user of the expiry date in a response, once for each token and date. */
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

/** The default notification. */
export const warnOfExpiry: OnTokenExpiring = ({ expiresAt, rotation }) => {
  const advice =
    rotation === undefined
      ? "Switch to its successor before then, or ask an admin for a later end."
      : "Call rotate() before then, and store the new token.";
  console.warn(`The access token for the Integration API expires at ${expiresAt.toISOString()}. ${advice}`);
};
