import { requireVariable } from "../../environment.ts";

/** The environment variable of each thing that the web interface has to know of the deployment that it is part of. */
export const settingsVariables = {
  /** The address of the service: where a login comes back to. */
  base_url: "BASE_URL",
  /** The OpenID issuer of the logins. */
  authority: "LOGIN_AUTHORITY",
  /** The web interface, as the issuer knows it. */
  client_id: "LOGIN_CLIENT_ID",
} as const;

export type Settings = Readonly<Record<keyof typeof settingsVariables, string>>;

/** The origins besides the issuer's that a login calls: comma-separated. */
export const loginOriginsVariable = "LOGIN_ORIGINS";

/** Where the web interface reads its settings. */
export const settingsPath = "/settings.json";

/** @throws {Error} naming the variable that is missing. */
export const readSettings = (): Settings => ({
  base_url: requireVariable(settingsVariables.base_url),
  authority: requireVariable(settingsVariables.authority),
  client_id: requireVariable(settingsVariables.client_id),
});

/** The origins that the web interface calls besides its own: those of the login. */
export const readLoginOrigins = ({ authority }: Settings): string[] => [
  new URL(authority).origin,
  ...requireVariable(loginOriginsVariable)
    .split(",")
    .map((url) => new URL(url).origin),
];
