import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const runbookFile = new URL("../../docs/runbook.md", import.meta.url);

/** Records its words, and prints the output that later commands of the runbook need. */
const noteTaker = (notes: string) => `#!${process.execPath}
const { appendFileSync, readFileSync, writeFileSync } = require("node:fs");
const words = process.argv.slice(2);
appendFileSync(${JSON.stringify(notes)}, JSON.stringify([require("node:path").basename(__filename), ...words]) + "\\n");
const tokens = ["active", "revoked"].map((state) => ({ token_id: "01J", ip: "198.51.100.7", state, token: "itk_" }));
const payload = words.includes("fileb:///dev/stdin") ? readFileSync(0, "utf8") : "";
const leaks = payload.includes('"action":"usage"') ? { addresses: [] } : [];
if (words[1] === "invoke") writeFileSync(words.at(-1), JSON.stringify({ tokens, leaks, refusals: [], notices: [] }));
const outputs = {
  "describe-restore-job": "COMPLETED",
  "get-stage": "{}",
  "list-users": '{"Users":[{"Username":"ann","Enabled":false,"Attributes":[]}]}',
  "admin-list-groups-for-user": '["Admin"]',
};
if (words[1] === "admin-get-user") process.exitCode = 1;
else process.stdout.write(outputs[words[1]] ?? "value");
`;

/**
 * Runs all commands of the runbook in a shell, with programs that only record their words, and returns the commands in order,
 * each as its words. `folder` must be empty.
 *
 * @throws if the shell refuses a command.
 */
export const runbookCommands = async (folder: string): Promise<string[][]> => {
  const notes = join(folder, "notes");
  for (const program of ["aws", "npm", "npx", "git"]) {
    await writeFile(join(folder, program), noteTaker(notes), { mode: 0o755 });
  }
  await writeFile(
    join(folder, "users-2027-01-31.jsonl"),
    '{"username":"ann","email":"a@example.com","enabled":false,"groups":["Admin"]}\n',
  );
  const runbook = await readFile(runbookFile, "utf8");
  const blocks = [...runbook.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = ""]) => text);
  const inSentences = [...runbook.matchAll(/`((?:aws|npm run|npx) [^`]+)`/g)].map(([, text = ""]) => text);
  const inShell = inSentences.filter((text) => text.split(" ").length > 2).map((text) => text.replaceAll("\n", " "));
  await promisify(execFile)("bash", ["-euo", "pipefail", "-c", [...blocks, ...inShell].join("\n")], {
    cwd: folder,
    env: { PATH: [folder, process.env.PATH].join(delimiter) },
  });
  const lines = (await readFile(notes, "utf8")).trimEnd().split("\n");
  return lines.map((line): string[] => JSON.parse(line));
};
