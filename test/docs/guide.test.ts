import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { guideLanguages } from "../../web/documentation/samples/languages.ts";
import { guideChapters } from "../../web/site/guide-documents.ts";
import { samplesIn } from "./guide-samples.ts";

const project = new URL("../../", import.meta.url);
const chapters = await guideChapters(api);
const read = (name: string): Promise<string> => readFile(new URL(name, project), "utf8");

/** Responses, and blocks that are not run. */
const notSamples: ReadonlySet<string> = new Set(["json", "text", "toml", "yaml"]);

/** Invitations are redeemed by commands, which need no PHP. */
const languagesIn = (id: string): readonly string[] =>
  id === "invitations" ? ["sh", "powershell", "ts", "python"] : guideLanguages;

test("the guide lists every chapter in its table of contents", async () => {
  const files = (await readdir(new URL("docs/guide/", project))).filter((name) => name !== "README.md");

  expect(chapters.map(({ id }) => `${id}.md`).toSorted()).toEqual(files.toSorted());
  expect(chapters[0]).toMatchObject({ id: "first-call", group: "Get started" });
});

test.each(chapters.filter(({ id }) => !["clients", "workloads"].includes(id)))(
  "the chapter $id shows each call in every language",
  ({ id, markdown }) => {
    const tabs = samplesIn(markdown)
      .map(({ tab }) => tab)
      .filter((tab) => !notSamples.has(tab));

    expect(tabs).toEqual(tabs.map((_, index) => languagesIn(id)[index % 4]));
  },
);

test("the guide shows the clients as in their READMEs, and says that browsers on other sites cannot call the service", async () => {
  const text = chapters.find(({ id }) => id === "clients")?.markdown ?? "";
  const readmes = await Promise.all(["client", "python-client"].map((name) => read(`packages/${name}/README.md`)));

  expect(samplesIn(text)).toHaveLength(3);
  for (const { code } of samplesIn(text)) expect(readmes.join()).toContain(code);
  expect(text).toContain("no CORS");
});

test("the guide includes the changelog of the version that package.json and CHANGELOG.md name", async () => {
  const { version } = JSON.parse(await read("package.json"));

  expect(/^## \[(.+)\]/m.exec(await read("CHANGELOG.md"))?.[1]).toBe(version);
  expect(/^### (.+)$/m.exec(chapters.at(-1)?.markdown ?? "")?.[1]).toBe(version);
});
