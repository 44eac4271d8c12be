import { beforeAll, describe, expect, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { idOf } from "../../packages/client/test/contract/stored-token.ts";
import { guideLanguages } from "../../web/documentation/samples/languages.ts";
import { guideChapters } from "../../web/site/guide-documents.ts";
import { confirmNext, invite } from "../clients/support/tokens.ts";
import { freePort } from "../support/free-port.ts";
import { curlConfiguration, sampleRunner } from "../support/run-sample.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { samplesIn } from "./guide-samples.ts";

const chapters = await guideChapters(api);

const outcomeOf = (run: Promise<string>): Promise<{ exitCode: number; output: string }> =>
  run.then(
    (output) => ({ exitCode: 0, output }),
    ({ code, stdout, stderr }) => ({ exitCode: code, output: `${stdout}${stderr}` }),
  );

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

/** Writes a token where the samples for invitations have written it. */
const tokenFile = (token: string, ip = "127.0.0.1") => ({
  "token.json": JSON.stringify({ token_id: idOf(token), ip, issued_at: new Date(), expires_at: null, token }),
});

describe.each([...guideLanguages, "powershell"] as const)("each %s sample in the guide", (language) => {
  const samples = chapters
    .flatMap(({ markdown }) => samplesIn(markdown))
    .filter((sample) => sample.language === language);

  test("runs as shown, unless the guide announces a rejection", async (context) => {
    const end = new Date(Date.now() + 20 * 86_400_000).toISOString();
    const TOKEN = await service.issueToken("127.0.0.1", { expires_at: end });
    const distant = await service.issueToken("127.0.0.2");
    const run = await sampleRunner(
      context,
      language,
      service,
      { TOKEN },
      {
        ...curlConfiguration,
        ...tokenFile(await service.issueToken()),
      },
    );
    // A sample in another language may have replaced the key's v_code.
    await service.call("DELETE", "/api/v1/key/1234567");

    expect(samples.length).toBeGreaterThan(0);
    for (const { code, refusal } of samples) {
      if (refusal !== undefined) {
        await expect(run(code), code).rejects.toThrow(`The requested URL returned error: ${refusal}`);
        continue;
      }
      if (code.includes("INVITATION")) {
        const { token_id, invitation: INVITATION } = await invite(service);
        const redeem = await sampleRunner(context, language, service, { INVITATION });
        const [output] = await Promise.all([redeem(code), confirmNext(service, token_id)]);
        expect(output, code).toContain("token.json");
        continue;
      }
      const isMove = /token\/move|\.move\(/.test(code);
      const [output] = await Promise.all([
        run(code, isMove ? { TOKEN: distant } : {}),
        isMove && confirmNext(service, idOf(distant)),
      ]);
      expect(output, code).toMatch(/\S/);
      if (code.includes("expires at")) expect(output, code).toContain(end.slice(0, 10));
    }
  });

  test("does not report success with an ended token or without the service", async (context) => {
    const { token_id, invitation: INVITATION } = await invite(service);
    const TOKEN = await service.issueToken();
    for (const id of [token_id, idOf(TOKEN)]) await service.admin({ action: "revoke", token_id: id });
    const nowhere = { ...service, baseUrl: `http://127.0.0.1:${await freePort()}` };
    const attempt = async (one: typeof nowhere, code: string) => {
      const files = code.includes("INVITATION") ? {} : tokenFile(TOKEN);
      return outcomeOf((await sampleRunner(context, language, one, { TOKEN, INVITATION }, files))(code));
    };

    for (const { code } of samples) {
      const [ended, alone] = await Promise.all([attempt(service, code), attempt(nowhere, code)]);
      expect(ended.output, code).toMatch(/\b401\b|_revoked/);
      expect(alone.exitCode, code).not.toBe(0);
    }
  });
});
