import { exampleAddress } from "../../../lambdas/shared/addresses.ts";
import { clientNamesOf } from "../../../openapi/clients/client-names.ts";
import { type Description, type Operation, operationsOf } from "../description.ts";
import type { Call } from "../samples/call.ts";
import { callOf, exampleValues, samplesOf } from "../samples/sample-of.ts";
import type { ChapterSource } from "./chapters.ts";

/*
 * The guide shows its samples with keys. For an application, they show its own endpoints instead: a part of a chapter that is about
 * keys is followed by a comment with the text for other services, in which `{{name}}` stands for one of the texts below.
 */
const parts = /<!-- keys -->\n\n(.*?)\n<!-- without keys:\n\n(.*?)\n-->\n/gs;

/** Adapts the chapters to a service: leaves out what it does not have, and shows its own endpoints. */
export const adaptChapters = (chapters: readonly ChapterSource[], description: Description): ChapterSource[] => {
  const operations = operationsOf(description);
  const hasKeys = operations.some(({ path }) => path === "/api/v1/key");
  const isForOthers = ({ path, method }: Operation): boolean =>
    description.paths[path]?.[method.toLowerCase()]?.["x-example-client"] !== undefined;
  const texts = textsFor(operations.filter((one) => isOwn(one) && !isForOthers(one)));
  const { rename } = clientNamesOf({ "x-client": "integration-api-client", ...description.info });
  const adapt = (markdown: string): string =>
    markdown.replaceAll(parts, (_, keys: string, others: string) =>
      hasKeys ? keys : others.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => texts[name] ?? ""),
    );
  const left = chapters
    .filter(({ id }) => operations.some(subjects[id] ?? (() => true)))
    .map(({ markdown, ...chapter }) => ({
      ...chapter,
      markdown: rename(adapt(markdown)).replaceAll(/\n{3,}/g, "\n\n"),
    }));
  const ids = new Set(left.map(({ id }) => id));
  const linked = (text: string): string =>
    text.replaceAll(/\[([^\]]+)\]\(([\w-]+)\.md(#[\w-]+)?\)/g, (link, words, id) => (ids.has(id) ? link : words));
  return left.map((chapter) => ({ ...chapter, markdown: linked(chapter.markdown) }));
};

/** Matches the current operations of other resources than tokens. */
const isOwn = ({ path, deprecation }: Operation): boolean =>
  deprecation === undefined && !/^\/api\/v\d+\/token(\/|$)/.test(path);

const sends = (operation: Operation, header: string): boolean =>
  operation.responses.some(({ status, headers }) => status < 300 && headers.some(({ name }) => name === header));

const isPaged = (operation: Operation): boolean => sends(operation, "Link");
const isVersioned = (operation: Operation): boolean => operation.method === "GET" && sends(operation, "ETag");
const followsChanges = ({ path }: Operation): boolean => path.endsWith("/changes");
const isConditional = ({ fields }: Operation): boolean => fields.some(({ name }) => name === "If-Match");

/** The operations that some chapters are about. A service without any of them has no such chapter. */
const subjects: Readonly<Record<string, (operation: Operation) => boolean>> = {
  lists: isPaged,
  "conditional-requests": isVersioned,
  changes: followsChanges,
  invitations: ({ credential }) => credential === "invitation",
  workloads: ({ credential }) => credential === "jwt",
  expiry: ({ path }) => path.endsWith("/token/rotation"),
  address: ({ path }) => path.endsWith("/token/move"),
};

const textsFor = (own: readonly Operation[]): Record<string, string> => {
  const followed = own.find(followsChanges);
  const [paged, written] = [own.find(isPaged), own.find(({ json, method }) => json && method === "POST")];
  const changed = own.find(
    (one) => isConditional(one) && one.json && own.some((read) => isVersioned(read) && read.path === one.path),
  );
  return {
    pages: listed(own.filter(isPaged)),
    page: paged ? samples(exampleOf(paged), (_, { path }) => everyPage(path)) : "",
    changes: listed(own.filter(followsChanges)),
    follow: followed ? block("sh", everyChange(exampleOf(followed))) : "",
    versioned: listed(own.filter(isVersioned)),
    conditional: listed(own.filter(isConditional)),
    change: changed ? block("sh", unlessChanged(exampleOf(changed))) : "",
    write: written ? samples(exampleOf(written), (curl) => curl.replace("curl ", "curl --retry 4 ")) : "",
    invalid: invalidIn(own),
  };
};

const listed = (operations: readonly Operation[]): string =>
  operations.map(({ method, path }) => `\`${method} ${path}\``).join(", ");

const exampleOf = (operation: Operation): Call => callOf(operation, exampleValues(operation));

const block = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

/** Shows a call in each language. */
const samples = (call: Call, inShell: (curl: string, call: Call) => string): string =>
  samplesOf(call)
    .map(({ language, code }) => block(language, language === "sh" ? inShell(code, call) : code))
    .join("\n\n");

const everyPage = (path: string): string => `\
url='${exampleAddress}${path}'
while [ -n "$url" ] &&
  curl --fail-with-body -sS -D headers.txt "$url" -H 'Accept: application/json' -H "X-Token: $TOKEN"; do
  next=$(tr -d '\\r' < headers.txt | sed -n 's/^link: <\\([^>]*\\)>.*/\\1/Ip')
  url=\${next:+${exampleAddress}$next}
done
[ -z "$url" ]`;

const everyChange = ({ path }: Call): string => `\
cursor=$(cat cursor.txt 2>/dev/null)
while
  curl --fail-with-body -sS -G '${exampleAddress}${path}' \${cursor:+--data-urlencode "cursor=$cursor"} \\
    -H 'Accept: application/json' -H "X-Token: $TOKEN" > page.json &&
    jq -c '.changed[]?, .deleted[]?' page.json &&
    cursor=$(jq -r .cursor page.json) && echo "$cursor" > cursor.txt
  [ "$(jq .more page.json)" = true ]
do :; done
[ -s page.json ] && jq -r 'if .code then "\\(.code): \\(.message)" else "The copy is up to date." end' page.json`;

const unlessChanged = (call: Call): string => `\
headers=$(curl --fail-with-body -sS -D - -o /dev/null '${exampleAddress}${call.path}' \\
  -H 'Accept: application/json' -H "X-Token: $TOKEN") &&
etag=$(echo "$headers" | tr -d '\\r' | sed -n 's/^etag: //Ip') &&
${samplesOf(call)[0]?.code.replace("curl ", `curl -H "If-Match: \${etag:?}" `)}`;

/** Returns the body of the first documented \`422\`. */
const invalidIn = (operations: readonly Operation[]): string => {
  const [example] = operations.flatMap(({ responses }) =>
    responses.filter(({ status }) => status === 422).flatMap(({ examples }) => examples),
  );
  return example ? block("json", JSON.stringify(example[1], null, 2)) : "";
};
