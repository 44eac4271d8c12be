import type { ClientModel, ClientOperation } from "../../openapi/clients/client-model.ts";
import { methodNameOf } from "../../openapi/clients/python-operations.ts";

/** The sections of the built-in clients' READMEs that are true for the client of every service. */
const commonSections = [
  "A token in a file",
  "No stored token",
  "Tokens without a file",
  "Before a token expires",
  "Time limits",
  "Retries",
  "Proxies and certificates",
];

const sectionsOf = (builtIn: string): string => {
  const sections = builtIn.split(/^(?=## )/m).filter((section) => commonSections.includes(titleOf(section)));
  return sections.map((section) => section.trimEnd()).join("\n\n");
};

const titleOf = (section: string): string => /^## (.*)$/m.exec(section)?.[1] ?? "";

const tableOf = (operations: readonly ClientOperation[], callOf: (operation: ClientOperation) => string) =>
  operations.map((operation) => `| \`${callOf(operation)}\` | ${operation.summary} |`).join("\n");

const tableHead = "| Call | |\n|---|---|";

/** Returns the README of a service's TypeScript client. @param builtIn the README of the built-in client */
export const typescriptReadme = (model: ClientModel, name: string, builtIn: string): string => `\
# ${name}

A typed client for the ${model.title}, without dependencies, for TypeScript 5.0 and Node.js 20.16 or newer. Install its folder with \`npm install\`, or pack it with
\`npm pack\`. With an invitation (\`iti_…\`), start with [a token in a file](#a-token-in-a-file).

## Calls

\`\`\`js
import { createIntegrationClient } from "${name}";

const { BASE_URL = "https://integration.example.com", TOKEN = "" } = process.env;
const client = createIntegrationClient({ baseUrl: BASE_URL, token: TOKEN });

const token = await client.GET("/api/v1/token");
console.log(\`This token is bound to \${token.ip}.\`);
\`\`\`

${tableHead}
${tableOf(model.operations, ({ method, path, isPaged }) => `client.${isPaged ? "pages" : method}("${path}", …)`)}

- **Options.** \`params: { path, query }\` and \`body\` as the API documents them. Unknown paths, parameters and fields do not compile. \`signal\` cancels the call, \`headers\` adds some, and
  \`onResponse\` receives the status and the headers of the response.
- **Results.** A call returns the body: JSON, a string or a \`Uint8Array\` of a file, the address of a redirect, or \`undefined\`. Types such as \`components["schemas"]["Token"]\` are exported.
- **Pages.** \`for await (const page of client.pages(path))\` makes one call for each page. \`client.GET\` returns only the first page.
- **Changes that overwrite nothing.** Pass the object that \`GET\`, \`POST\`, \`PUT\` or \`PATCH\` of this client has returned as \`ifUnchanged\`. If it has changed since, the call rejects with
  \`PreconditionFailed\`. A copy or an item of a list causes a \`TypeError\`.
- **Errors.** A response that is not a success is an \`ApiFailure\` with \`status\`, \`code\` and \`requestId\`. A \`422\` is a \`ValidationFailed\` with \`fields\`. The type \`ErrorCode\` has all codes.
- **A newer service** works with this client: ignore fields, values and codes that you do not know.

${sectionsOf(builtIn)}
`;

/** Returns the README of a service's Python client. @param builtIn the README of the built-in client */
export const pythonReadme = (model: ClientModel, module: string, builtIn: string): string => `\
# ${module.replaceAll("_", "-")} for Python

A typed client for the ${model.title}, for Python 3.10 or newer, without dependencies. Install its folder with \`pip install\`, which downloads setuptools to build it. Without a network,
add \`--no-build-isolation\`, and have setuptools 77 or newer installed. With an invitation (\`iti_…\`), start with
[a token in a file](#a-token-in-a-file).

## Calls

\`\`\`python
import os

from ${module} import IntegrationClient

client = IntegrationClient(os.environ.get("BASE_URL", "https://integration.example.com"), os.environ["TOKEN"])
print(f"This token is bound to {client.get_token().ip}.")
\`\`\`

${tableHead}
${tableOf(model.operations, (operation) => `client.${methodNameOf(operation, model.operations)}(…)`)}

- **Arguments.** The parameters of the path, then the body as a dictionary, then the query by name. \`on_response\` receives the status and the headers of the response.
- **Results.** A call returns the body: JSON, \`str\` or \`bytes\` of a file, the address of a redirect, or \`None\`. The types of objects are in \`${module}.operations\`.
- **Lists in pages** are iterators, which make each call when the loop needs it.
- **Changes that overwrite nothing.** Pass the object that this client has read or written as \`if_unchanged\`. If it has changed since, the call raises \`PreconditionFailed\`. A copy or an item of
  a list causes a \`ValueError\`.
- **Errors.** A response that is not a success is an \`ApiFailure\` with \`status\`, \`code\` and \`request_id\`. A \`422\` is a \`ValidationFailed\` with \`fields\`. The type \`ErrorCode\` has all codes.
- **A newer service** works with this client: ignore fields, values and codes that you do not know.

${sectionsOf(builtIn)}
`;
