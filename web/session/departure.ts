import * as z from "zod/mini";
import { endpointsSchema } from "./login.ts";
import { settingsSchema } from "./settings.ts";

/**
 * What a tab knows when it leaves for the login. It needs the same again to complete the sign-in, so it does not have to load it
 * twice: on a slow connection that takes seconds. Nothing in it is secret.
 */
const departureSchema = z.object({ settings: settingsSchema, endpoints: endpointsSchema });

type Departure = z.infer<typeof departureSchema>;

const storageKey = "login.departure";

export const storeDeparture = (departure: Departure): void =>
  sessionStorage.setItem(storageKey, JSON.stringify(departure));

/** What the tab knew when it left, once; `undefined` if it did not leave from here, or with another version of this page. */
export const takeDeparture = (): Departure | undefined => {
  const text = sessionStorage.getItem(storageKey);
  if (text === null) return undefined;
  sessionStorage.removeItem(storageKey);
  return z.safeParse(departureSchema, JSON.parse(text)).data;
};
