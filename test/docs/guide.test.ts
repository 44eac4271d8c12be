import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { languageIds } from "../../web/documentation/samples/languages.ts";
import { guideChapters } from "../../web/site/guide-documents.ts";
import { samplesIn } from "./guide-samples.ts";

const project = new URL("../../", import.meta.url);
const chapters = await guideChapters(api);
const read = (name: string): Promise<string> => readFile(new URL(name, project), "utf8");

/** Responses, and blocks that are not run. */
const notSamples: ReadonlySet<string> = new Set(["json", "text", "toml", "yaml"]);

test("the guide lists every chapter in its table of contents", async () => {
  const files = (await readdir(new URL("docs/guide/", project))).filter((name) => name !== "README.md");

  expect(chapters.map(({ id }) => `${id}.md`).toSorted()).toEqual(files.toSorted());
  expect(chapters[0]).toMatchObject({ id: "first-call", group: "Get started" });
});

test.each(chapters.filter(({ id }) => !["clients", "workloads"].includes(id)))(
  "the chapter $id shows each call in every language",
  ({ markdown }) => {
    const languages = samplesIn(markdown)
      .map(({ language }) => language)
      .filter((language) => !notSamples.has(language));

    expect(languages).toEqual(languages.map((_, index) => languageIds[index % languageIds.length]));
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
