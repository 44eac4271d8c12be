import { readdir, readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { idOf } from "../../packages/client/test/contract/stored-token.ts";
import { languageIds } from "../../web/documentation/samples/languages.ts";
import { guideChapters } from "../../web/site/guide-documents.ts";
import { confirmNext, invite } from "../clients/support/tokens.ts";
import { freePort } from "../support/free-port.ts";
import { sampleRunner } from "../support/run-sample.ts";
import { sharedService, type TestService } from "../support/service.ts";

const folder = new URL("../../docs/guide/", import.meta.url);
const chapters = await guideChapters(api);

interface GuideSample {
  language: string;
  code: string;
  /** The status of a call that the chapter announces as rejected. */
  refusal: string | undefined;
}

const samplesIn = (text: string): GuideSample[] =>
  [...text.matchAll(/(?:<!-- answered (\d+) -->\n\n)?^```(\w+)\n(.*?)^```$/gms)].map(
    ([, refusal, language = "", code = ""]) => ({ refusal, language, code }),
  );

const everySample = (language: string): GuideSample[] =>
  chapters.flatMap(({ markdown }) => samplesIn(markdown)).filter((sample) => sample.language === language);

const outcomeOf = (run: Promise<string>): Promise<{ exitCode: number; output: string }> =>
  run.then(
    (output) => ({ exitCode: 0, output }),
    ({ code, stdout, stderr }) => ({ exitCode: code, output: `${stdout}${stderr}` }),
  );

/** Responses, and blocks that are not run. */
const others: ReadonlySet<string> = new Set(["json", "text", "toml", "yaml"]);

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

describe("the guide", () => {
  test("lists every chapter in its table of contents", async () => {
    const files = (await readdir(folder)).filter((name) => name !== "README.md");

    expect(chapters.map(({ id }) => `${id}.md`).toSorted()).toEqual(files.toSorted());
    expect(chapters[0]).toMatchObject({ id: "first-call", group: "Begin" });
  });

  test.each(chapters.filter(({ id }) => !["clients", "workloads"].includes(id)))(
    "shows each call in every language: $id",
    ({ markdown }) => {
      const languages = samplesIn(markdown)
        .map(({ language }) => language)
        .filter((language) => !others.has(language));

      expect(languages).toEqual(languages.map((_, index) => languageIds[index % languageIds.length]));
    },
  );

  test("shows the clients as their own READMEs do, and says that browsers on other sites cannot call the service", async () => {
    const text = chapters.find(({ id }) => id === "clients")?.markdown ?? "";
    const paths = ["../../packages/client/README.md", "../../packages/python-client/README.md"];
    const readmes = (await Promise.all(paths.map((path) => readFile(new URL(path, import.meta.url), "utf8")))).join();

    expect(samplesIn(text)).toHaveLength(3);
    for (const { code } of samplesIn(text)) expect(readmes).toContain(code);
    expect(text).toContain("no CORS");
  });

  test("has the changelog of the version that package.json and CHANGELOG.md name", async () => {
    const [manifest = "", changelog = ""] = await Promise.all(
      ["package.json", "CHANGELOG.md"].map((name) => readFile(new URL(`../../${name}`, import.meta.url), "utf8")),
    );
    const { version } = JSON.parse(manifest);

    expect(/^## \[(.+)\]/m.exec(changelog)?.[1]).toBe(version);
    expect(/^### (.+)$/m.exec(chapters.at(-1)?.markdown ?? "")?.[1]).toBe(version);
  });

  for (const language of languageIds) {
    test(`has only samples that run as shown, except where a rejection is announced: ${language}`, async (context) => {
      const { token_id, invitation } = await invite(service);
      const end = new Date(Date.now() + 20 * 86_400_000).toISOString();
      const TOKEN = await service.issueToken("127.0.0.1", { expires_at: end });
      const run = await sampleRunner(context, language, service, { TOKEN, INVITATION: invitation });
      // A sample in another language may have replaced the key's v_code.
      await service.call("DELETE", "/api/v1/key/1234567");
      const samples = everySample(language);

      expect(samples.length).toBeGreaterThan(0);
      for (const { code, refusal } of samples) {
        // The sample that redeems the invitation waits for an admin.
        const confirmation = code.includes("INVITATION") && confirmNext(service, token_id);
        if (refusal !== undefined) {
          await expect(run(code), code).rejects.toThrow(`The requested URL returned error: ${refusal}`);
          continue;
        }
        const [output] = await Promise.all([run(code), confirmation]);
        expect(output, code).toMatch(/\S/);
        if (code.includes("X-Token-Expires-At")) expect(output, code).toContain(end);
      }
    });

    test(`has no sample that reports success with an ended token or without the service: ${language}`, async (context) => {
      const { token_id, invitation: INVITATION } = await invite(service);
      const TOKEN = await service.issueToken();
      for (const id of [token_id, idOf(TOKEN)]) await service.admin({ action: "revoke", token_id: id });
      const nowhere = { ...service, baseUrl: `http://127.0.0.1:${await freePort()}` };
      const files = { "token.json": JSON.stringify({ token: TOKEN }) };
      const attempt = async (one: typeof nowhere, code: string) =>
        outcomeOf((await sampleRunner(context, language, one, { TOKEN, INVITATION }, files))(code));

      for (const { code } of everySample(language)) {
        const [ended, alone] = await Promise.all([attempt(service, code), attempt(nowhere, code)]);
        expect(ended.output, code).toMatch(/\b401\b|_revoked/);
        expect(alone.exitCode, code).not.toBe(0);
      }
    });
  }
});
