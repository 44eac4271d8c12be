import { baseUrlVariable, requireVariable } from "../shared/environment.ts";

/** The environment variables of the settings that the web interface needs from its deployment. */
export const settingsVariables = {
  /** The address of the service, to which sign-in returns. */
  base_url: baseUrlVariable,
  /** The OpenID issuer. */
  authority: "LOGIN_AUTHORITY",
  /** The web interface's client id at the issuer. */
  client_id: "LOGIN_CLIENT_ID",
} as const;

export type Settings = Readonly<Record<keyof typeof settingsVariables, string>>;

/** The origins, besides the issuer's, that the sign-in connects to: comma-separated. */
export const loginOriginsVariable = "LOGIN_ORIGINS";

/**
 * Reads the settings from the environment.
 *
 * @throws {Error} naming the variable that is missing.
 */
export const readSettings = (): Settings => ({
  base_url: requireVariable(settingsVariables.base_url),
  authority: requireVariable(settingsVariables.authority),
  client_id: requireVariable(settingsVariables.client_id),
});

/** Returns the origins that the web interface connects to for signing in, besides its own. */
export const readLoginOrigins = ({ authority }: Settings): string[] => [
  new URL(authority).origin,
  ...requireVariable(loginOriginsVariable)
    .split(",")
    .map((url) => new URL(url).origin),
];
