import { expect, test } from "vitest";
import type { IntegrationClient } from "../src/index.ts";

test("calls that the API does not have do not compile", () => {
  // Never called: `tsc` checks it, and that each line marked as an error is an error.
  const calls = async (client: IntegrationClient): Promise<void> => {
    const key = await client.GET("/api/v1/key/{key_id}", { params: { path: { key_id: "1" } } });
    key.v_code satisfies string;
    // @ts-expect-error: the path parameter is missing
    await client.GET("/api/v1/key/{key_id}");
    // @ts-expect-error: there is no such path
    await client.GET("/api/v1/nowhere");
    // @ts-expect-error: a field is missing
    await client.POST("/api/v1/key", { body: { key_id: "1" } });
    // @ts-expect-error: this is not a list
    client.pages("/api/v1/token");
  };

  expect(calls).toBeTypeOf("function");
});
