import { expect, test } from "vitest";
import { documentBlocks } from "../../tools/support/documents.ts";
import { changes, paste } from "../../tools/support/paste.ts";
import { requirePrograms } from "../support/programs.ts";
import { nameOf, testPastedBlocks } from "./pasted-blocks.ts";

const languages = new Set("sh powershell console text json yaml toml ts js py python php mermaid".split(" "));

test("each code block declares its language", () => {
  expect(
    documentBlocks()
      .filter(({ language }) => !languages.has(language))
      .map(nameOf),
  ).toEqual([]);
});

test("a simulated paste shows which lines run after a failed command, and which lines a prompt takes as its input", async (context) => {
  requirePrograms(context, "zsh");
  const text = "git checkout a\nnpx cdk deploy\ntrue\n";
  const block = { document: "", line: 1, language: "sh", text, functions: new Map() };
  const { calls, isReadWhole } = await paste(block, { shell: "zsh", failing: 1 });

  expect(calls.slice(1).filter(changes)).toMatchObject([{ words: ["npx", "cdk", "deploy"] }]);
  expect(isReadWhole).toBe(false);
});

testPastedBlocks((document) => ["README.md", "docs/scripts.md"].includes(document));
