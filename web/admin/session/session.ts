import * as z from "zod/mini";

export const sessionSchema = z.object({
  /** The bearer token for the admin API. */
  accessToken: z.string(),
  username: z.string(),
  groups: z.array(z.string()),
  /** Unix milliseconds on this browser's clock, like `expiresAt`. */
  startedAt: z.number(),
  expiresAt: z.number(),
});

/** A signed-in user. */
export type Session = z.infer<typeof sessionSchema>;

/** Whether the user may do everything and sees the link to the API documentation. */
export const isSuperuser = ({ groups }: Session): boolean => groups.includes("Superuser");

/** Whether the user may do anything here. The service checks for itself; this check avoids a page full of errors. */
export const isAdmin = (session: Session): boolean => isSuperuser(session) || session.groups.includes("Admin");

const storageKey = "session";

/**
 * Returns this tab's session. The session survives a reload and ends with the tab. `undefined` if there is none, if it has ended,
 * or if an earlier version of the interface stored it in a different format.
 */
export const storedSession = (): Session | undefined => {
  const session = z.safeParse(sessionSchema, parsedJson(sessionStorage.getItem(storageKey) ?? ""));
  return session.success && remainingMs(session.data) > 0 ? session.data : undefined;
};

/** Parses a string as JSON; `undefined` if it is not valid JSON. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const storeSession = (session: Session): void => sessionStorage.setItem(storageKey, JSON.stringify(session));

/** Holds the page's current session. Calls that start before the next render already use it. */
export const currentSession = (first: Session) => {
  let current = first;
  return {
    accessToken: () => current.accessToken,
    /** Whether the rejection of this access token ends the session. Rejections of earlier tokens don't. */
    isEndedBy: (refused: string) => refused === current.accessToken,
    isOf: ({ username }: Session) => username === current.username,
    renew(session: Session) {
      current = session;
      storeSession(session);
    },
  };
};

export const remainingMs = ({ expiresAt }: Session): number => expiresAt - Date.now();

export const forgetSession = (): void => sessionStorage.removeItem(storageKey);
