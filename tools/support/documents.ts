import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../..", import.meta.url));
const patterns = ["*.md", ".github/*.md", "{docs,examples,web}/**/*.md", "packages/*/*.md"];

/** A fenced block of a document. */
export interface Block {
  document: string;
  line: number;
  /** `sh` marks commands to paste. */
  language: string;
  /** The text without the indentation of the surrounding list. */
  text: string;
  /** The shell functions that earlier blocks define, by name. */
  functions: ReadonlyMap<string, string>;
}

/** Returns the paths of all documents, relative to the project's folder. */
export const documents = (): string[] =>
  globSync(patterns, { cwd: project, exclude: (name) => name === "node_modules" }).toSorted();

const fence = /^( *)```(\S*)(?: \w+)?\n(.*?)^ *```$/gms;
const shellFunction = /^(\w+)\(\) (?:[({]\n.*?^[)}]|\{ .*?; \})$/gms;

const blocksOf = (document: string, known: ReadonlyMap<string, string>): Block[] => {
  const text = readFileSync(join(project, document), "utf8");
  const functions = new Map(known);
  return [...text.matchAll(fence)].map(({ index, 1: indentation = "", 2: language = "", 3: code = "" }) => {
    const lines = code.replaceAll(new RegExp(`^${indentation}`, "gm"), "");
    const before = new Map(functions);
    for (const [definition, name = ""] of lines.matchAll(shellFunction)) functions.set(name, definition);
    return { document, line: text.slice(0, index).split("\n").length, language, text: lines, functions: before };
  });
};

const guideToDeployment = "docs/deploy.md";

/**
 * Returns the blocks of all documents. Readers of any other document already have the deployment guide's functions in their shell.
 */
export const documentBlocks = (): Block[] =>
  documents().flatMap((document) => blocksOf(document, document === guideToDeployment ? new Map() : sharedFunctions()));

const sharedFunctions = (): Map<string, string> => {
  const definitions = blocksOf(guideToDeployment, new Map()).flatMap(({ text }) => [...text.matchAll(shellFunction)]);
  return new Map(definitions.map(([definition, name = ""]) => [name, definition]));
};

/** Returns the commands within the sentences of the documents, each as a block. */
export const commandsInSentences = (): Block[] =>
  documents().flatMap((document) => {
    const text = readFileSync(join(project, document), "utf8").replaceAll(fence, (block) =>
      block.replaceAll(/[^\n]/g, ""),
    );
    return [...text.matchAll(/`((?:aws|npm run|npx cdk) [^`<]+)`/g)]
      .map(({ index, 1: command = "" }) => ({
        document,
        line: text.slice(0, index).split("\n").length,
        language: "sh",
        text: `${command.replaceAll(/\s+/g, " ")}\n`,
        functions: sharedFunctions(),
      }))
      .filter((block) => block.text.split(" ").length > 2);
  });
