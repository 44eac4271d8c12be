/** A signed-in user, for as long as the login vouches for them. */
export interface Session {
  /** What the admin door asks for. */
  accessToken: string;
  username: string;
  groups: string[];
  /** In ms since 1970, by this browser's clock, as is the next. */
  startedAt: number;
  expiresAt: number;
}

/** May do all that there is, and is shown the documentation of the API. */
export const isSuperuser = ({ groups }: Session): boolean => groups.includes("Superuser");

/** Whether the user may do anything here. The service decides that for itself; this saves a page of refusals. */
export const isAdmin = (session: Session): boolean => isSuperuser(session) || session.groups.includes("Admin");

const storedAs = "session";

/** The session of this tab, which outlives a reload and ends with the tab. `undefined` if there is none, or it is over. */
export const storedSession = (): Session | undefined => {
  const text = sessionStorage.getItem(storedAs);
  if (text === null) return undefined;
  const session: Session = JSON.parse(text);
  return session.expiresAt > Date.now() ? session : undefined;
};

export const storeSession = (session: Session): void => sessionStorage.setItem(storedAs, JSON.stringify(session));

export const forgetSession = (): void => sessionStorage.removeItem(storedAs);
