import { documentationPath, exampleAddress } from "../../../lambdas/shared/addresses.ts";
import type { Credential, ErrorExplanation, Field, Operation, RequestField, Response } from "../description.ts";
import { limitsOf, typeOf } from "../parts/field.tsx";
import { statusText } from "../parts/html.tsx";
import { languages } from "../samples/languages.ts";
import { callOf, exampleValues, samplesOf } from "../samples/sample-of.ts";
import type { Page } from "../site.ts";

/** Writes an operation as Markdown. Its own texts are already Markdown. */
export const operationText = (operation: Operation): string => {
  const { summary, method, path, description, deprecation, credential, fields, responses } = operation;
  const call = callOf(operation, exampleValues(operation));
  return joined(
    `# ${summary}`,
    `\`${method} ${path}\``,
    deprecation,
    description,
    `Send ${sent[credential]}, and \`Accept: application/json\`.`,
    fields.length > 0 &&
      joined("## Request", table(["Field", "In", "Required", "Type", "Meaning"], fields.map(requestRow))),
    "## Samples",
    ...samplesOf(call).map(({ language, code }) => joined(`### ${languages[language]}`, block(language, code))),
    "## Responses",
    ...responses.filter(({ isCommon }) => !isCommon).map(responseText),
    `Errors that every call can get are explained [here](${errorsAddress}).`,
  );
};

const sent: Readonly<Record<Credential, string>> = {
  token: "a token in `X-Token`",
  invitation: "an invitation in `X-Token`",
  jwt: "the JWT of your workload in `subject_token`, nothing in `X-Token`",
};

const errorsAddress = `${exampleAddress}${documentationPath}/errors.md`;

const requestRow = (field: RequestField): string[] => [
  `\`${field.name}\``,
  field.in === "json" ? "body" : field.in,
  field.required ? "yes" : "no",
  typeText(field),
  field.description,
];

const typeText = ({ schema }: Field): string => [typeOf(schema), ...limitsOf(schema)].join(", ");

const responseText = ({ status, description, fields, isArray, examples }: Response): string =>
  joined(
    `### ${statusText(status)}`,
    description,
    status < 300 && isArray && "An array of objects:",
    status < 300 &&
      fields.length > 0 &&
      table(
        ["Field", "Type", "Meaning"],
        fields.map((field) => [`\`${field.name}\``, typeText(field), field.description]),
      ),
    ...examples.map(([, body]) => block("json", JSON.stringify(body, null, 2))),
  );

/** Writes all errors as Markdown, for the end of the chapter about errors. */
export const errorsText = (errors: Readonly<Record<string, ErrorExplanation>>): string =>
  joined(
    "## All errors",
    table(
      ["Status", "Code", "Cause", "What to do"],
      Object.entries(errors).map(([code, { status, when, solve }]) => [String(status), `\`${code}\``, when, solve]),
    ),
  );

/** Writes the table of contents for programs that read the documentation: see llmstxt.org. */
export const contentsText = (title: string, pages: readonly Page[]): string =>
  joined(
    `# ${title}`,
    `> A REST API. Its address is ${exampleAddress}. Calls need a token in \`X-Token\` and \`Accept: application/json\`.`,
    ...[...Map.groupBy(pages, ({ group }) => group)].map(([group, entries]) =>
      joined(
        `## ${group}`,
        entries.map((page) => `- [${page.title}](${exampleAddress}${page.path}.md): ${page.about}`).join("\n"),
      ),
    ),
    "## Everything at once",
    `- [All pages](${exampleAddress}${documentationPath}/llms-full.txt): the guide and the reference in one file`,
    `- [OpenAPI 3.1](${exampleAddress}${documentationPath}/api-docs.json): all calls, for programs`,
  );

const block = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(inCell).join(" | ")} |`).join("\n");

const inCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

const joined = (...blocks: (string | undefined | false)[]): string => blocks.filter(Boolean).join("\n\n");
