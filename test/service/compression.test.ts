import { signIn } from "cdk-local-runner/parts";
import { beforeAll, describe, expect, test } from "vitest";
import { loginOf, sharedService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
  for (let index = 0; index < 40; index += 1) {
    const form = { key_id: `ключ ${index}`, v_code: "ü".repeat(64) };
    await service.call("POST", "/api/v1/key", { form });
  }
});

const list = (acceptEncoding?: string | string[]) =>
  service.call("GET", "/api/v1/key", {
    headers: acceptEncoding === undefined ? {} : { "accept-encoding": acceptEncoding },
  });

describe("a list", () => {
  test.for([
    ["br", "br"],
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0.5, gzip;q=1", "gzip"],
    ["br;q=0, *", "gzip"],
    ["*", "br"],
    ["GZIP", "gzip"],
  ] as const)("is compressed for Accept-Encoding: %s, and holds the same", async ([accepted, encoding]) => {
    const [plain, compressed] = [await list(), await list(accepted)];
    expect(compressed.headers).toMatchObject({ "content-encoding": encoding, vary: "Accept-Encoding" });
    expect(compressed.text).toBe(plain.text);
    expect(compressed.headers.etag).toBe(plain.headers.etag);
    expect(compressed.sentBytes).toBeLessThan(plain.sentBytes / 2);
  });

  test.for([undefined, "", "identity", "deflate", "zstd", "br;q=0, gzip;q=0", "identity;q=0, deflate"])(
    "is sent as it is for Accept-Encoding: %s",
    async (accepted) => {
      const answer = await list(accepted);
      expect(answer.headers).not.toHaveProperty("content-encoding");
      expect(answer.headers).toMatchObject({ vary: "Accept-Encoding", "content-type": "application/json" });
      expect(answer.sentBytes).toBe(Buffer.byteLength(answer.text));
    },
  );

  test("of admins is compressed, too", async () => {
    const headers = {
      authorization: `Bearer ${await signIn(service, loginOf(service, "Admin"))}`,
      "accept-encoding": "br",
    };
    const answer = await fetch(`${service.baseUrl}/admin/keys`, { headers });
    expect(answer.headers.get("content-encoding")).toBe("br");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.json()).toHaveProperty("keys");
  });
});

test("a single key and an error are too short to be compressed", async () => {
  const headers = { "accept-encoding": "br, gzip" };
  const [key] = (await list()).json() as { key_id: string }[];
  const one = await service.call("GET", `/api/v1/key/${encodeURIComponent(String(key?.key_id))}`, { headers });
  expect(one.status).toBe(200);
  expect(one.headers).not.toHaveProperty("content-encoding");
  expect((await service.call("GET", "/api/v1/key/missing", { headers })).headers).not.toHaveProperty(
    "content-encoding",
  );
});
