/** The environment variable with the address of the service. */
export const baseUrlVariable = "BASE_URL";

/**
 * Returns the value of an environment variable.
 *
 * @throws {Error} naming the variable if it is missing or empty.
 */
export const requireVariable = (name: string): string => {
  const value = process.env[name];
  if (!value)
    throw new Error(`The environment variable ${name} is missing. Lambda sets it, or the stack does: see infra/.`);
  return value;
};

/** Returns the environment variable with the value of a setting, such as `SETTING_CARRIER_URL`. */
export const settingVariable = (name: string): string => `SETTING_${name.toUpperCase()}`;

/** The environment variable with the prefix of a stage's secret names, such as `/freight/prod/`. */
export const secretsPathVariable = "SECRETS_PATH";
