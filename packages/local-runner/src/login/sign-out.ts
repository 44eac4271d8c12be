import type { KoaContextWithOIDC } from "oidc-provider";

/**
 * Ends the session and goes back to the application, where oidc-provider would ask whether that is meant. Cognito does not
 * ask either: the most that a forged link can do is to make somebody sign in again, and it leads to a registered address.
 */
export async function signOut(ctx: KoaContextWithOIDC): Promise<void> {
  const { session, params, provider } = ctx.oidc;
  await session?.destroy();
  ctx.cookies.set(provider.cookieName("session"), null);
  // Checked already: an address that the client has not registered does not get here.
  const { post_logout_redirect_uri: target, state } = params ?? {};
  if (typeof target !== "string") return ctx.redirect("/logout/success");
  const back = new URL(target);
  if (typeof state === "string") back.searchParams.set("state", state);
  ctx.redirect(back.href);
}
