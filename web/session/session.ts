import * as z from "zod/mini";

export const sessionSchema = z.object({
  /** The bearer token for the admin API. */
  accessToken: z.string(),
  username: z.string(),
  groups: z.array(z.string()),
  /** Unix milliseconds by this browser's clock, like `expiresAt`. */
  startedAt: z.number(),
  expiresAt: z.number(),
});

/** A signed-in user. */
export type Session = z.infer<typeof sessionSchema>;

/** May do everything, and sees the link to the documentation of the API. */
export const isSuperuser = ({ groups }: Session): boolean => groups.includes("Superuser");

/** Whether the user may do anything here. The service decides for itself; this saves a page full of refusals. */
export const isAdmin = (session: Session): boolean => isSuperuser(session) || session.groups.includes("Admin");

const storageKey = "session";

/**
 * The session of this tab, which survives a reload and ends with the tab; `undefined` if there is none, if it has ended, or
 * if an earlier version of the interface stored it in another shape.
 */
export const storedSession = (): Session | undefined => {
  const session = z.safeParse(sessionSchema, parsedJson(sessionStorage.getItem(storageKey) ?? ""));
  return session.success && remainingMs(session.data) > 0 ? session.data : undefined;
};

/** What a stored text says; `undefined` if it is no JSON. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const storeSession = (session: Session): void => sessionStorage.setItem(storageKey, JSON.stringify(session));

/** The session that a page has at the moment. A call that begins before anything is rendered again uses it already. */
export const currentSession = (first: Session) => {
  let current = first;
  return {
    accessToken: () => current.accessToken,
    /** Whether a refusal of this access token ends the session: that of an earlier one does not. */
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
