import * as z from "zod/mini";

export const settingsSchema = z.object({
  /** The origin of the service, where the login sends the browser back to. No slash at the end. */
  base_url: z.url(),
  /** The OpenID Connect issuer. */
  authority: z.url(),
  client_id: z.string(),
});

/** What the interface has to know about the deployment that it belongs to. */
export type Settings = z.infer<typeof settingsSchema>;

export const loadSettings = async (): Promise<Settings> => {
  const response = await fetch("/settings.json");
  if (!response.ok) throw new Error(`/settings.json answered ${response.status}.`);
  return z.parse(settingsSchema, await response.json());
};
