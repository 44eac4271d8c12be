import { describe, expect, test } from "vitest";
import { createIntegrationClient } from "../integration-client.ts";
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
});
