import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { type Block, commandsInSentences, documentBlocks } from "../../tools/support/documents.ts";
import { type Call, changes, type Pasted, paste, variablesOf } from "../../tools/support/paste.ts";
import { requirePrograms } from "../support/programs.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

export const nameOf = ({ document, line }: Block): string => `${document}:${line}`;

/** The commands of all documents, in blocks and in sentences. */
export const commandBlocks = (): Block[] => [
  ...documentBlocks().filter(({ language }) => language === "sh"),
  ...commandsInSentences(),
];

/** Returns whether git ignores a file in the project's folder. */
const isIgnored = (file: string): boolean =>
  spawnSync("git", ["check-ignore", "--no-index", "--quiet", file], { cwd: project }).status === 0;

/** Replaces the times that a block gets from the clock, because the shells read it at different moments. */
const withoutTimes = async (pasted: Promise<Pasted>): Promise<Pasted> =>
  JSON.parse(JSON.stringify(await pasted).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…"));

/** Calls for separate tokens: a failure for one token is no reason to skip the others. */
const isOneOfMany = ({ words }: Call): boolean => words[2] === "invoke";

/**
 * Tests all commands of some documents. After a failed command, a terminal continues with the next line of a pasted block. So each
 * block is pasted into real shells, with each of its commands failing in turn, and with each of its variables empty.
 */
export const testPastedBlocks = (isTested: (document: string) => boolean): void => {
  const tested = commandBlocks().filter(({ document }) => isTested(document));
  describe.each([...Map.groupBy(tested, ({ document }) => document)])("each block of %s", (document, blocks) => {
    beforeEach((context) => requirePrograms(context, "bash", "zsh", "jq"));

    test("runs the same in bash and zsh, and does not consume later pasted lines", async () => {
      for (const block of blocks) {
        const [bash, zsh] = await Promise.all([
          withoutTimes(paste(block)),
          withoutTimes(paste(block, { shell: "zsh" })),
        ]);
        expect.soft(bash, nameOf(block)).toMatchObject({ stderr: "", exitCode: 0, isReadWhole: true });
        expect.soft(zsh, nameOf(block)).toEqual(bash);
        // Guides and clients are for people who have no clone.
        const isForClones = /^(?:README|docs\/[\w-]+)\.md$/.test(document);
        const unignored = isForClones ? bash.files.filter((file) => !isIgnored(file)) : [];
        expect.soft(unignored, nameOf(block)).toEqual([]);
      }
    });

    test("changes nothing after a failed command, and shows the command's message", async () => {
      for (const block of blocks) {
        const { calls } = await paste(block);
        const pastes = calls.map(async (failed, index) => {
          const { calls: made, stderr } = await paste(block, { failing: index + 1 });
          const later = made
            .slice(index + 1)
            .filter((call) => changes(call) && !(isOneOfMany(call) && isOneOfMany(failed)));
          expect.soft(later, `${nameOf(block)} after ${failed.words.join(" ")}`).toEqual([]);
          expect.soft(stderr, `${nameOf(block)}: ${failed.words.join(" ")}`).toContain("refused by the stand-in");
        });
        await Promise.all(pastes);
      }
    });

    test("changes nothing if a variable is empty", async () => {
      for (const block of blocks) {
        for (const empty of variablesOf(block)) {
          const { calls } = await paste(block, { empty });
          expect.soft(calls.filter(changes), `${nameOf(block)} without ${empty}`).toEqual([]);
        }
      }
    });
  });
};
