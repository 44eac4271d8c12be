import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type Block, commandsInSentences, documentBlocks } from "../../tools/support/documents.ts";
import { type Call, changes, paste, variablesOf } from "../../tools/support/paste.ts";
import { requirePrograms } from "../support/programs.ts";

// Many steps, each of which waits for less than a minute.
vi.setConfig({ testTimeout: 300_000 });

/*
 * After a failed command, a terminal continues with the next line of a pasted block. So each block is pasted into real shells,
 * with each of its commands failing in turn, and with each of its variables empty.
 */

const project = fileURLToPath(new URL("../..", import.meta.url));
const languages = new Set("sh console text json yaml toml ts js py python php mermaid".split(" "));
const nameOf = ({ document, line }: Block): string => `${document}:${line}`;

const blocks = documentBlocks();
const pasted = [...blocks.filter(({ language }) => language === "sh"), ...commandsInSentences()];

/** Returns whether git ignores a file in the project's folder. */
const isIgnored = (file: string): boolean =>
  spawnSync("git", ["check-ignore", "--no-index", "--quiet", file], { cwd: project }).status === 0;

/** Calls for separate tokens: a failure for one token is no reason to skip the others. */
const isOneOfMany = ({ words }: Call): boolean => words[2] === "invoke";

test("a simulated paste shows which lines run after a failed command, and which a prompt consumes as its answer", async (context) => {
  requirePrograms(context, "zsh");
  const block = {
    document: "",
    line: 1,
    language: "sh",
    text: "git checkout a\nnpx cdk deploy\ntrue\n",
    functions: new Map(),
  };
  const { calls, isReadWhole } = await paste(block, { shell: "zsh", failing: 1 });

  expect(calls.slice(1).filter(changes)).toMatchObject([{ words: ["npx", "cdk", "deploy"] }]);
  expect(isReadWhole).toBe(false);
});

test("each block declares its language", () => {
  expect(blocks.filter(({ language }) => !languages.has(language)).map(nameOf)).toEqual([]);
});

describe.each([...Map.groupBy(pasted, ({ document }) => document)])(
  "each block of %s, when it is pasted,",
  (document, all) => {
    beforeEach((context) => requirePrograms(context, "bash", "zsh", "jq"));

    test("runs the same in bash and zsh, and does not read later pasted lines", async () => {
      for (const block of all) {
        const [bash, zsh] = await Promise.all([paste(block), paste(block, { shell: "zsh" })]);

        expect.soft(bash, nameOf(block)).toMatchObject({ stderr: "", exitCode: 0, isReadWhole: true });
        expect.soft(zsh, nameOf(block)).toEqual(bash);
        // Guides and clients are for people who have no clone.
        if (/^(?:README|docs\/[\w-]+)\.md$/.test(document)) {
          expect
            .soft(
              bash.files.filter((file) => !isIgnored(file)),
              nameOf(block),
            )
            .toEqual([]);
        }
      }
    });

    test("changes nothing after a failed command, and shows its message", async () => {
      for (const block of all) {
        const { calls } = await paste(block);
        const pastes = calls.map((failed, index) =>
          paste(block, { failing: index + 1 }).then(({ calls: made, stderr }) => {
            const later = made
              .slice(index + 1)
              .filter((call) => changes(call) && !(isOneOfMany(call) && isOneOfMany(failed)));

            expect.soft(later, `${nameOf(block)} after ${failed.words.join(" ")}`).toEqual([]);
            expect.soft(stderr, `${nameOf(block)}: ${failed.words.join(" ")}`).toContain("refused by the stand-in");
          }),
        );
        await Promise.all(pastes);
      }
    });

    test("changes nothing with an empty variable", async () => {
      for (const block of all) {
        for (const empty of variablesOf(block)) {
          const { calls } = await paste(block, { empty });
          expect.soft(calls.filter(changes), `${nameOf(block)} without ${empty}`).toEqual([]);
        }
      }
    });
  },
);
