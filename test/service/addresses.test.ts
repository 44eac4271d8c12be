import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, expect, inject, onTestFinished, test, vi } from "vitest";
import { connectSenders } from "../../lambdas/notices/channels.ts";
import { addresses } from "../../lambdas/shared/addresses.ts";
import { summaryOf } from "../../local/summary.ts";
import { startAwsStub } from "../support/aws-stub.ts";
import { sharedService, type TestService } from "../support/service.ts";

const projectFolder = new URL("../../", import.meta.url).pathname;

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

/** Matches a path of the service after a method or its base URL, or alone in quotes or between spaces. */
const address =
  /(?:\b(GET|POST|PUT|DELETE) )?(?<=https?:\/\/[\w.:-]+|\$\w+|BaseUrl\)|[\s"'`(<}])(\/(?:(?:api|admin)\/[\w{$]|tokens\b|history\b|keys\b|\?token=)[^\s"'`)<>\\]*)/g;

/** Matches a placeholder: a path parameter, or an expression or a variable in a sample. */
const placeholder = /\$?\{[\w.]+\}|\$\w+|%s/g;

interface Found {
  method: string | undefined;
  path: string;
}

/** Returns the addresses in a text, except incomplete ones: `/api/<version>`, `/assets/{file+}`. */
const addressesIn = (text: string): Found[] =>
  [...text.matchAll(address)]
    .map(([, method, path = ""]) => ({ method, path: path.replace(placeholder, "x").replace(/[.,:;?!\]*]+$/, "") }))
    .filter(({ path }) => !/[…{}<>$]|^\/api\/x/.test(path));

/** Returns why an address leads nowhere, or undefined if it leads somewhere. */
const deadEnd = async ({ method, path }: Found): Promise<string | undefined> => {
  const { pathname, hash, search } = new URL(path, service.baseUrl);
  // This method is rejected with the methods that the path supports, so that no call has an effect.
  const refusal = await fetch(service.baseUrl + pathname, { method: "PATCH", headers: { accept: "application/json" } });
  const methods = refusal.headers.get("allow")?.split(", ");
  if (methods && method && !methods.includes(method)) return `${path} has no ${method}, only ${methods.join(", ")}`;
  if (methods && (hash === "" || pathname.startsWith("/api/v"))) return undefined;
  const response = await fetch(service.baseUrl + pathname + search, { headers: { accept: "text/html" } });
  const page = await response.text();
  if (!response.ok) return `${path} does not exist`;
  const id = hash.replace(/^#(\/guide\/[\w-]+).*/, "$1").replace(/^#(?!\/)/, "");
  return id === "" || page.includes(`id="${id}"`) ? undefined : `${path} has no ${id}`;
};

const filesOf = (...patterns: string[]): Record<string, string> =>
  Object.fromEntries(
    globSync(patterns, { cwd: projectFolder, exclude: ["**/node_modules/**", "**/test/**"] }).map((file) => [
      file,
      readFileSync(resolve(projectFolder, file), "utf8"),
    ]),
  );

const noticeText = async (): Promise<string> => {
  const { url, requests, close } = await startAwsStub(() => ({ body: {} }));
  onTestFinished(close);
  const names = ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DOMAIN", "NOTICE_BUS_NAME"];
  for (const name of names) vi.stubEnv(name, "test");
  vi.stubEnv("NOTICE_TOPIC_ARN", "arn:topic");
  vi.stubEnv("AWS_ENDPOINT_URL_SNS", url);
  vi.stubEnv("BASE_URL", service.baseUrl);
  onTestFinished(() => void vi.unstubAllEnvs());
  const about = { token_id: "01K", comment: "", client: null, ip: null };
  const notice = { notice_id: "1", kind: "token_leaked", ...about, details: {} } as const;
  await connectSenders()[0]?.send([{ ...notice, found_at: new Date().toISOString() }]);
  return new URLSearchParams(requests[0]?.body).get("Message") ?? "";
};

test("every address in the project's texts works", async () => {
  const facts = { token: "itk_1", client: undefined, dataDirectory: ".local", port: 3000, seconds: 1 };
  const texts: Record<string, string> = {
    ...filesOf("README.md", "docs/*.md", "docs/guide/*.md", "packages/*/README.md", "api-docs.json"),
    ...filesOf("lambdas/!(admin)/**/*.ts", "{web,local}/**/*.{ts,tsx,html}", "packages/python-client/src/**/*.py"),
    ...filesOf(`${inject("assemblyDirectory")}/*.template.json`),
    "a notice": await noticeText(),
    "the summary of npm start": summaryOf(service, facts),
    "the pages": Object.values(addresses)
      .map((path) => (typeof path === "string" ? path : ""))
      .join("\n"),
  };
  const failures = [];
  for (const [name, text] of Object.entries(texts)) {
    for (const found of addressesIn(text)) {
      const failure = await deadEnd(found);
      if (failure !== undefined) failures.push(`${name}: ${failure}`);
    }
  }
  expect(failures).toEqual([]);
});
