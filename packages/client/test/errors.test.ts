import { describe, expect, test } from "vitest";
import { createIntegrationClient } from "../integration-client.ts";
import { failureOf, found, scripted } from "./support/scripted-service.ts";

describe("an answer that is not of this API", () => {
  const clientOf = (baseUrl: string) => createIntegrationClient({ baseUrl, token: "itk_1" });

  test("is not followed if it is a redirect: the token stays here", async () => {
    const elsewhere = await scripted(found());
    const { baseUrl } = await scripted((_, response) =>
      response.writeHead(302, { location: `${elsewhere.baseUrl}/login` }).end(),
    );
    const failure = await failureOf(clientOf(baseUrl).GET("/api/v1/key"));

    expect(failure).toMatchObject({ status: 302, code: "redirected", message: expect.stringContaining("/login") });
    expect(elsewhere.requests).toHaveLength(0);
  });

  test("is a failure though its status is 200", async () => {
    const { baseUrl } = await scripted((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<p>Welcome"),
    );
    const failure = await failureOf(clientOf(baseUrl).GET("/api/v1/key"));

    expect(failure).toMatchObject({ status: 200, code: "unknown", message: expect.stringContaining("Welcome") });
  });
});
