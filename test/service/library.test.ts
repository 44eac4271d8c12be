import { describe, expect, test } from "vitest";
import { libraryApi } from "../fixtures/library/api.ts";
import { testAssembly } from "../kit/test-assembly.ts";
import { useAssembledService } from "../kit/use-service.ts";
import { synthesiseLibrary } from "../support/stages.ts";

describe("a service with every kind of field and endpoint passes without additional requests:", () => {
  testAssembly(libraryApi, { assembly: synthesiseLibrary, seed: 1 });
});

describe("an application's own tests", () => {
  const { call, seed, reset, advance } = useAssembledService(libraryApi, {
    assembly: synthesiseLibrary,
    records: { books: [{ title: "Sketch" }] },
  });
  const titles = async () => (await call("GET", "/api/v1/book")).json();
  const path = "/api/v1/book/0b8f5c5e-6c1d-4f0e-9d3a-5a3f6c1e2b7d";

  test("seed and reset the tables of a running service", async () => {
    expect(await titles()).toMatchObject([{ title: "Sketch" }]);
    await seed({ books: [] });
    expect(await titles()).toEqual([]);
    await reset();
    expect(await titles()).toMatchObject([{ title: "Sketch" }]);
  });

  test("move its clock between two changes", async () => {
    const changedAt = async (): Promise<number> => {
      const { text } = await call("PATCH", path, { json: { pages: 1 } });
      return Date.parse(JSON.parse(text).updated_at);
    };
    const before = await changedAt();
    await advance({ days: 2 });

    expect((await changedAt()) - before).toBeGreaterThanOrEqual(2 * 86_400_000);
  });
});
