import { describe, expect, test } from "vitest";
import { createMemory } from "../src/memory.ts";

const bodyOf = (bytes: number) => ({ etag: '"1"', body: new Uint8Array(bytes), link: null });

describe("the memory for reads", () => {
  const remembering = (urls: string[], limits: Parameters<typeof createMemory>[0], bytes = 1) => {
    const memory = createMemory(limits);
    for (const url of urls) memory.remember(url, bodyOf(bytes));
    return { memory, kept: () => urls.filter((url) => memory.recall(url) !== undefined) };
  };

  test("forgets what was not used for longest when it has too many bodies", () => {
    const { memory, kept } = remembering(["a", "b", "c"], { bodies: 3 });
    memory.recall("a");
    memory.remember("d", bodyOf(1));

    expect(kept()).toEqual(["a", "c"]);
    expect(memory.recall("d")).toBeDefined();
  });

  test("forgets as many bodies as are needed to stay below its size", () => {
    const { memory, kept } = remembering(["a", "b", "c", "d"], { bytes: 40 }, 10);
    memory.remember("e", bodyOf(25));

    expect(kept()).toEqual(["d"]);
  });

  test("counts a body that replaces another one of the same URL once", () => {
    const { memory, kept } = remembering(["a", "b"], { bytes: 30 }, 10);
    for (let time = 0; time < 5; time += 1) memory.remember("b", bodyOf(20));

    expect(kept()).toEqual(["a", "b"]);
  });

  test("does not count what was forgotten", () => {
    const { memory, kept } = remembering(["a", "b"], { bytes: 20 }, 10);
    memory.forget("a");
    memory.forget("a");
    memory.remember("c", bodyOf(10));

    expect(kept()).toEqual(["b"]);
    expect(memory.recall("c")).toBeDefined();
  });

  test("forgets only the earlier body of a URL if the new one is larger than all that it may remember", () => {
    const { memory, kept } = remembering(["a", "b", "c"], { bytes: 30 }, 10);
    memory.remember("b", bodyOf(31));

    expect(kept()).toEqual(["a", "c"]);
  });

  test("holds 100 bodies and 16 MB unless told otherwise", () => {
    const urls = Array.from({ length: 101 }, (_, index) => `/${index}`);
    const megabytes = Array.from({ length: 17 }, (_, index) => `/${index}`);

    expect(remembering(urls, {}).kept()).toEqual(urls.slice(1));
    expect(remembering(megabytes, {}, 1024 ** 2).kept()).toEqual(megabytes.slice(1));
  });
});
