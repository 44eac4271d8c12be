import { exampleAddress } from "../../../lambdas/shared/addresses.ts";
import { variableOf } from "./languages.ts";

/** Code that makes the same call with each client that can make it. */
export interface ClientSamples {
  ts?: string | undefined;
  python?: string | undefined;
}

export const text = (value = ""): string => JSON.stringify(value);

export const imported = (name: string, part = ""): string =>
  `import { ${name} } from ${text(`integration-api-client${part}`)};`;

export const withClient = ({ ts, python }: Record<"ts" | "python", string>) => ({
  ts: `\
${imported("createIntegrationClient")}

const client = createIntegrationClient({ baseUrl: "${exampleAddress}", token: ${variableOf("ts", "token")} });
${ts}`,
  python: `\
import os

from integration_api_client import IntegrationClient

client = IntegrationClient("${exampleAddress}", ${variableOf("python", "token")})
${python}`,
});
