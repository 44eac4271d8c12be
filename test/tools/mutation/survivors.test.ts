import { describe, expect, test } from "vitest";
import { compareSurvivors, parseSurvivors, printSurvivor } from "../../../tools/mutation/survivors.ts";

describe("an explained survivor", () => {
  const survivor = { file: "lambdas/a.ts", before: "if (a) return `b`;", after: "if (true) return `b`;" };

  test("is parsed as it was printed", () => {
    const markdown = `# Title\n\n## ${survivor.file}\n\n${printSurvivor(survivor)}because.\n`;
    expect(parseSurvivors(markdown)).toEqual([{ ...survivor, reason: "because." }]);
  });

  test("without a reason or without the mutated line is refused", () => {
    for (const line of [printSurvivor(survivor), "- `a`: because", "- anything"]) {
      expect(() => parseSurvivors(`## ${survivor.file}\n${line}`)).toThrow(line.trim());
    }
  });

  test("explains only the same change of the same file", () => {
    const explained = { ...survivor, reason: "because." };
    expect(compareSurvivors([survivor], [explained])).toEqual({ unexplained: [], gone: [] });
    for (const other of [{ file: "lambdas/b.ts" }, { before: "x" }, { after: "x" }]) {
      const changed = { ...survivor, ...other };
      expect(compareSurvivors([changed], [explained])).toEqual({ unexplained: [changed], gone: [explained] });
    }
  });
});
