import { describe, expect, test } from "vitest";
import { changedPart, compareSurvivors, parseSurvivors, printSurvivor } from "../../../tools/mutation/survivors.ts";

describe("an explained survivor", () => {
  const survivor = { file: "lambdas/a.ts", before: "if (a) return `b`;", after: "if (true) return `b`;" };

  test("is parsed as it was printed", () => {
    const markdown = `# Title\n\n## ${survivor.file}\n\n${printSurvivor(survivor)}because.\n`;
    expect(parseSurvivors(markdown)).toEqual([{ ...survivor, reason: "because." }]);
  });

  test("may be one of several changes of a line with the same reason", () => {
    const entries = parseSurvivors("## lambdas/a.ts\n\n- `if (a || b) c();` → `if (false) c();`, `… && …`: because.");
    const [first, second] = ["if (false) c();", "… && …"].map((after) => ({ before: "if (a || b) c();", after }));
    expect(entries).toEqual([first, second].map((one) => ({ file: "lambdas/a.ts", ...one, reason: "because." })));
  });

  test.for([
    ["if (a || b) return c;", "if (false) return c;", "if (false) return …"],
    ["if (a || b) return c;", "if (a && b) return c;", "… (a && b) …"],
    ["x = a ?? [];", "x = a ?? [1];", "… ?? [1];"],
    ["return a === b && c;", "return true && c;", "return true && …"],
    ["return a?.b.c;", "return a.b.c;", "return a.b.c;"],
    ["} catch { return false; }", "} catch {}", "… catch {}"],
  ] as const)("shows of the change of %s to %s only %s", ([before, after, part]) => {
    expect(changedPart(before, after)).toBe(part);
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
