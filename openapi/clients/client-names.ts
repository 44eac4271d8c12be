import type { Description } from "./client-model.ts";

interface ClientNames {
  /** The name of the npm package. */
  name: string;
  /** The name of the command that it installs. */
  command: string;
  /** The name of the Python module. */
  module: string;
  /** Replaces the built-in client's names in a file's text with these names. */
  rename(text: string): string;
}

/** Returns the name of a service's client, from the name of the service's package. */
export const clientNameOf = (packageName: string): string => `${packageName}-client`;

export const clientNamesOf = ({ title, "x-client": name }: Description["info"]): ClientNames => {
  const command = name.replace(/^@.*\//, "");
  const module = command.replaceAll(/\W/g, "_");
  // The title becomes part of strings in code.
  const shown = title.replaceAll(/["'`\\{}$\s]+/g, " ").trim();
  const rename = (text: string): string =>
    text
      .replaceAll(/(?<=(?:from|import\(|import) ?")integration-api-client/g, name)
      .replaceAll(/"name": "integration-api-client"/g, `"name": "${name}"`)
      .replaceAll("integration-api-client", command)
      .replaceAll("integration_api_client", module)
      .replaceAll("Integration API", shown);
  return { name, command, module, rename };
};
