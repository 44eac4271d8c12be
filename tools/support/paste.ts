import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Block } from "./documents.ts";

/** A command that the recorder replaced: the program, its arguments, and its input from a pipe. */
export interface Call {
  words: string[];
  payload: string;
}

const recorder = fileURLToPath(new URL("recorder.sh", import.meta.url));

/** Programs that act on something outside the folder, or take long. */
const standIns = "aws cdk curl gh git integration-api-client node npm npx pip python python3 sleep sha256sum".split(
  " ",
);

/** Programs that only work on files and text. */
const tools =
  "bash basename cat chmod cp cut date grep head id jq mkdir mktemp mv rm sed seq shred sort tail tee tr uniq wc".split(
    " ",
  );

const locate = (program: string): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => resolve(folder, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

/** The options with which a shell reads and continues as in a terminal, although it has no terminal and no user settings. */
const shells = {
  bash: ["--norc", "--noprofile", "--noediting", "-i"],
  zsh: ["-f", "-i", "-o", "nopromptsp", "-o", "nozle"],
} as const;

export type Shell = keyof typeof shells;

interface Paste {
  shell?: Shell;
  /** The number of the call that fails. */
  failing?: number;
  /** A variable to leave empty, as if an earlier command had failed. */
  empty?: string;
}

export interface Pasted {
  calls: Call[];
  exitCode: number;
  stderr: string;
  /** The files that the commands left behind. */
  files: string[];
  /** Whether the shell read all of the pasted text. A command that asks a question would read part of the text instead. */
  isReadWhole: boolean;
}

/** Returns the definitions of the functions that a block calls, and of the functions that they call. */
const functionsOf = ({ text, functions }: Block): string[] => {
  const called = new Set<string>();
  const look = (code: string): void => {
    for (const [name, definition] of functions) {
      if (called.has(definition) || !new RegExp(`(?:^|[|&;({]|\\b(?:do|then|if))\\s*${name}(?![\\w-])`, "m").test(code))
        continue;
      called.add(definition);
      look(definition);
    }
  };
  look(text);
  return [...called];
};

/** Returns the variables that a block expects from its shell. */
export const variablesOf = (block: Block): string[] => {
  const used = [block.text, ...functionsOf(block)].join("\n").matchAll(/\$\{?([A-Z][A-Z_]*)/g);
  const assigned = new Set([...block.text.matchAll(/\b([A-Z][A-Z_]*)=/g)].map(([, name]) => name));
  return [...new Set([...used].map(([, name = ""]) => name))].filter((name) => !assigned.has(name));
};

/** Pastes a block into an interactive shell, in an empty folder and with programs that only record their arguments. */
export const paste = async (block: Block, { shell = "bash", failing = 0, empty }: Paste = {}): Promise<Pasted> => {
  const folder = await mkdtemp(join(tmpdir(), "integration-api-paste-"));
  try {
    const [programs, work] = [join(folder, "programs"), join(folder, "clone")];
    for (const one of [programs, work]) await mkdir(one);
    for (const program of standIns) await symlink(recorder, join(programs, program));
    for (const tool of tools) {
      const file = locate(tool);
      if (file !== undefined) await symlink(file, join(programs, tool));
    }
    await writeFile(join(work, "token.json"), '{"token":"itk_1"}');
    const users =
      '{"username":"ann","email":"a@example.com","email_verified":true,"enabled":false,"groups":["Admin"]}\n';
    await writeFile(join(work, "users-2027-01-31.jsonl"), users);
    await writeFile(join(work, "integration-api-1.0.0.tar.gz"), "");
    const before = new Set(await readdir(work));
    await writeFile(join(folder, "notes"), "");
    await writeFile(join(folder, "pasted"), [...functionsOf(block), block.text].join("\n"));
    const variables = Object.fromEntries(variablesOf(block).map((name) => [name, name === empty ? "" : "value"]));
    const env = {
      ...variables,
      PATH: programs,
      HOME: folder,
      TMPDIR: folder,
      NOTES: join(folder, "notes"),
      FAILING: String(failing),
    };
    // The shell creates the pipe, because /dev/stdin cannot be opened if it is a pipe of Node.js. Shells unset inherited prompts.
    const script = 'cat ../pasted | PS1= PS2= "$0" "$@"';
    const words = ["-c", script, locate(shell) ?? shell, ...shells[shell]];
    const { exitCode, stderr } = await new Promise<Pick<Pasted, "exitCode" | "stderr">>((done) => {
      const child = execFile(locate("bash") ?? "bash", words, { cwd: work, env, timeout: 240_000 }, (_, __, text) =>
        done({ exitCode: child.exitCode ?? 1, stderr: withoutGreeting(text) }),
      );
    });
    const notes = (await readFile(join(folder, "notes"), "utf8")).split("\x1e").slice(0, -1);
    const calls = notes.map((note) => {
      const fields = note.split("\x1f").slice(0, -1);
      // Replaces the names of temporary files.
      const words = fields.slice(0, -1).map((word) => word.replace(/^\/.*\/tmp\..*/, "a temporary file"));
      return { words, payload: fields.at(-1) ?? "" };
    });
    const files = (await readdir(work)).filter((name) => !before.has(name));
    const taken = await readFile(join(folder, "notes.answers"), "utf8").catch(() => "");
    return { calls, exitCode, stderr, files, isReadWhole: taken === "" };
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** Removes bash's warnings about the missing terminal. */
const withoutGreeting = (text: string): string =>
  text.replaceAll(/^bash: (?:cannot set terminal process group .*|no job control in this shell)\n|^exit\n/gm, "");

const readingOfAws = /^(?:get|list|describe|wait|scan|query|batch-get|lookup|filter|validate|head|simulate)\b/;
const readingActions = /"action": ?"(?:get|list|leaks|usage|notices|history|reveal)[a-z_]*"/;

/** Checks whether a call changes something that outlives the shell. */
export const changes = ({ words: [program = "", ...words], payload }: Call): boolean => {
  const line = words.join(" ");
  switch (program) {
    case "aws":
      return words[1] === "invoke" ? !readingActions.test(payload) : !readingOfAws.test(words[1] ?? "");
    case "npx":
    case "cdk":
      // Without an invitation, `enrol` does nothing.
      if (/\bintegration-api-client enrol\b/.test(line)) return payload.trim() !== "";
      return /\b(?:deploy|destroy|import|bootstrap)\b/.test(line) || /\bintegration-api-client (?!check)/.test(line);
    case "npm":
      return /\b(?:copy-table|publish|record-release|install --prefix|--prefix)\b/.test(line);
    case "git":
      return /^(?:push|reset|clean|tag|branch -D|worktree remove)\b/.test(line);
    case "curl":
      return (
        line.includes("://") &&
        !words.includes("X-Token: ") &&
        /(?:^| )(?:-X (?!GET|HEAD)|-d |--data|-F |-T )/.test(line)
      );
    case "node":
      return /local\/admin\.mjs (?!help|get|list|leaks|usage|notices|history)/.test(line);
    default:
      return false;
  }
};
