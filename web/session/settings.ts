/** What the interface must know of the service that it came from: where that is, and who signs its users in. */
export interface Settings {
  /** The one origin that the login comes back to. Without a slash at the end. */
  base_url: string;
  /** The OpenID Connect issuer. */
  authority: string;
  client_id: string;
}

export const loadSettings = async (): Promise<Settings> => {
  const response = await fetch("/settings.json");
  if (!response.ok) throw new Error(`/settings.json answered ${response.status}.`);
  return response.json();
};
