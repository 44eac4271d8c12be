import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { ApiFailure, createIntegrationClient } from "../src/index.ts";
import { failureOf, found, scripted } from "./support/scripted-service.ts";

describe("a response that is not from this API", () => {
  const clientOf = (baseUrl: string) => createIntegrationClient({ baseUrl, token: "itk_1" });

  test("is not followed if it is a redirect, so the token is not sent elsewhere", async () => {
    const elsewhere = await scripted(found());
    const { baseUrl } = await scripted((_, response) =>
      response.writeHead(302, { location: `${elsewhere.baseUrl}/login` }).end(),
    );
    const failure = await failureOf(clientOf(baseUrl).GET("/api/v1/key"));

    expect(failure).toMatchObject({ status: 302, code: "redirected", message: expect.stringContaining("/login") });
    expect(elsewhere.requests).toHaveLength(0);
  });

  test("is a failure even if its status is 200", async () => {
    const { baseUrl } = await scripted((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<p>Welcome"),
    );
    const failure = await failureOf(clientOf(baseUrl).GET("/api/v1/key"));

    expect(failure).toMatchObject({ status: 200, code: "unknown", message: expect.stringContaining("Welcome") });
  });

  test.each([200, 500])(
    "is a failure that repeats nothing of its body if that is malformed JSON: %i",
    async (status) => {
      const { baseUrl } = await scripted((_, response) =>
        response.writeHead(status, { "content-type": "application/json" }).end('[{"v_code":"secret"'),
      );
      const failure = await failureOf(clientOf(baseUrl).GET("/api/v1/key"));

      expect(failure).toBeInstanceOf(ApiFailure);
      expect(failure).toMatchObject({ status, code: "unknown" });
      expect(inspect(failure)).not.toContain("secret");
    },
  );

  test("is not followed if a browser hides where it redirects to", async () => {
    const opaque: Response = Object.defineProperties(Response.error(), { type: { value: "opaqueredirect" } });
    const client = createIntegrationClient({ baseUrl: "https://a.example", token: "itk_1", fetch: async () => opaque });

    expect(await failureOf(client.GET("/api/v1/key"))).toMatchObject({ status: 0, code: "redirected" });
  });
});
