import { listenToOtherTabs, tellOtherTabs } from "./other-tabs.ts";
import type { Session } from "./session.ts";

const parameter = "sign-in";

/**
 * Where a window begins that only signs the user in, for tabs whose session has ended. "anew" asks for the password even if the
 * login still knows somebody.
 */
export const signInWindowAddress = (kind: "again" | "anew"): string =>
  `/?${new URLSearchParams({ [parameter]: kind })}`;

/** Whether an address is that of such a window. */
export const isSignInWindow = (address: string): boolean => queryOf(address).has(parameter);

/** Whether the login must ask for the password. */
export const asksForPassword = (address: string): boolean => queryOf(address).get(parameter) === "anew";

const queryOf = (address: string): URLSearchParams => new URL(address, location.origin).searchParams;

/** Opens the window. False if the browser blocks it. */
export const openSignInWindow = (address: string): boolean =>
  window.open(address, "_blank", "popup,width=520,height=760") !== null;

/** Gives the session to the tabs that wait for one, and closes this window when one of them has taken it. */
export const handOver = (session: Session): void => {
  listenToOtherTabs((message) => {
    if (message === "taken") window.close();
  });
  tellOtherTabs({ session });
};
