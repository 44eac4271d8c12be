import { onTestFinished, vi } from "vitest";

/** Captures the function's log during a test: its text, and each line as the JSON object that it must be. */
export const captureLog = () => {
  let text = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  onTestFinished(() => {
    write.mockRestore();
  });
  return {
    text: () => text,
    lines: (): unknown[] =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
  };
};
