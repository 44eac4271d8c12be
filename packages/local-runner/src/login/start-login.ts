import type { UserPoolDefinition } from "../assembly/user-pool.ts";
import type { HttpListener } from "../http-listener.ts";
import type { Issuer, IssuerOptions } from "./issuer.ts";

/** Loads what the login is made of: only a stack with a user pool needs it, and it takes its time. */
export const loadLogin = () => import("./issuer.ts");

/** Starts the login of the user pool on its port, or lets the port go if there is no user pool. */
export async function startLogin(
  userPool: UserPoolDefinition | undefined,
  listener: HttpListener,
  options: Omit<IssuerOptions, "userPool" | "url">,
): Promise<Issuer | undefined> {
  if (userPool === undefined) {
    await listener.close(0);
    return undefined;
  }
  const { createIssuer } = await loadLogin();
  const issuer = await createIssuer({ ...options, userPool, url: listener.url });
  listener.serve(issuer.listener);
  return issuer;
}
