import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { progressLine, startProgress } from "../../../tools/recovery/progress.ts";

describe("the line of progress", () => {
  test.each([
    [
      { done: 250_000, doneBefore: 0, total: 1_000_000, elapsedMs: 50_000 },
      "Copying  25 %  250,000 of 1,000,000 items  5,000/s  2 min 30 s left",
    ],
    [
      { done: 600, doneBefore: 500, total: 1000, elapsedMs: 1000 },
      "Copying  60 %  600 of 1,000 items  100/s  4 s left",
    ],
    [{ done: 0, doneBefore: 0, total: 10, elapsedMs: 0 }, "Copying  0 %  0 of 10 items  0/s"],
    [{ done: 7, doneBefore: 0, total: undefined, elapsedMs: 1000 }, "Copying  7 items  7/s"],
    [{ done: 11, doneBefore: 0, total: 10, elapsedMs: 1000 }, "Copying  11 items  11/s"],
  ])("of %o", (state, line) => {
    expect(progressLine("Copying", state)).toBe(line);
  });
});

/** The output while items are copied, one every half second. */
const written = async (isTTY: boolean, count: number): Promise<string> => {
  const stream = Object.assign(new PassThrough(), { isTTY });
  let nowMs = 0;
  const progress = startProgress("Copying", { total: 100, stream, now: () => nowMs });
  for (let done = 1; done <= count; done += 1) {
    nowMs += 500;
    progress.show(done);
  }
  progress.end();
  stream.end();
  return text(stream);
};

describe("progress", () => {
  test("is one line of a terminal, which is rewritten", async () => {
    const lines = (await written(true, 40)).split("\n");

    expect(lines).toHaveLength(2);
    expect(lines[0]?.split("\r\u001B[K").at(-1)).toMatch(/^Copying {2}40 %/);
    expect(lines[1]).toBe("");
  });

  test("is a plain line every ten seconds elsewhere, and a last one at the end", async () => {
    const output = await written(false, 45);

    expect(output).not.toContain("\r");
    expect(output.match(/\d+ of 100/g)).toEqual(["20 of 100", "40 of 100", "45 of 100"]);
  });
});
