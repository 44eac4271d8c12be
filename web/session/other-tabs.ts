import * as z from "zod/mini";
import { sessionSchema } from "./session.ts";

/** What the tabs of a browser tell each other. */
const messageSchema = z.union([
  /** The user has signed out. */
  z.literal("signed-out"),
  /** The user has signed in again, in a window that was opened for it. */
  z.object({ session: sessionSchema }),
  /** A tab has taken the session from that window. */
  z.literal("taken"),
]);

type Message = z.infer<typeof messageSchema>;

const channel = new BroadcastChannel("session");

export const tellOtherTabs = (message: Message): void => channel.postMessage(message);

/** Calls the function for each message from another tab, until the returned function is called. */
export const listenToOtherTabs = (listener: (message: Message) => void): (() => void) => {
  const receive = ({ data }: MessageEvent) => {
    // A tab with another version of the interface may say something else.
    const message = z.safeParse(messageSchema, data);
    if (message.success) listener(message.data);
  };
  channel.addEventListener("message", receive);
  return () => channel.removeEventListener("message", receive);
};
