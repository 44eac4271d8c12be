import type { KoaContextWithOIDC } from "oidc-provider";

/**
 * Ends the session and returns to the application without the confirmation that oidc-provider would ask for. Cognito does
 * not ask either: a forged link can only make somebody sign in again, and it leads to a registered address.
 */
export const signOut = async (ctx: KoaContextWithOIDC): Promise<void> => {
  const { session, params, provider } = ctx.oidc;
  await session?.destroy();
  ctx.cookies.set(provider.cookieName("session"), null);
  // oidc-provider has checked already that the client has registered this address.
  const { post_logout_redirect_uri: target, state } = params ?? {};
  if (typeof target !== "string") return ctx.redirect("/logout/success");
  const back = new URL(target);
  if (typeof state === "string") back.searchParams.set("state", state);
  ctx.redirect(back.href);
};
