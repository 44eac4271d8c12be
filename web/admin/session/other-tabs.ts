import * as z from "zod/mini";
import { type Session, sessionSchema } from "./session.ts";

/** The messages that the tabs of a browser send each other. */
const messageSchema = z.union([
  /** The user has signed out. */
  z.literal("signed-out"),
  /** The user has signed in again in a tab opened for this purpose. */
  z.object({ session: sessionSchema }),
  /** Another tab has taken over that tab's session. */
  z.literal("taken"),
]);

type Message = z.infer<typeof messageSchema>;

const channel = new BroadcastChannel("session");

export const tellOtherTabs = (message: Message): void => channel.postMessage(message);

/** Calls the listener for each message from another tab, until the returned function is called. */
export const listenToOtherTabs = (listener: (message: Message) => void): (() => void) => {
  const receive = ({ data }: MessageEvent) => {
    // A tab with a different version of the interface may send other messages.
    const message = z.safeParse(messageSchema, data);
    if (message.success) listener(message.data);
  };
  channel.addEventListener("message", receive);
  return () => channel.removeEventListener("message", receive);
};

const parameter = "sign-in";

/**
 * Returns the address of a tab that only signs the user in, for tabs whose session has ended. "anew" asks for the password even
 * if the login still recognises a user.
 */
export const signInTabAddress = (kind: "again" | "anew"): string => `/?${new URLSearchParams({ [parameter]: kind })}`;

/** Whether an address belongs to such a tab. */
export const isSignInTab = (address: string): boolean => queryOf(address).has(parameter);

/** Whether the login must ask for the password. */
export const asksForPassword = (address: string): boolean => queryOf(address).get(parameter) === "anew";

const queryOf = (address: string): URLSearchParams => new URL(address, location.origin).searchParams;

/** Passes the session to waiting tabs, and closes this tab when one of them has taken it. */
export const handOver = (session: Session): void => {
  listenToOtherTabs((message) => {
    if (message === "taken") window.close();
  });
  tellOtherTabs({ session });
};
