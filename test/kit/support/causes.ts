import { readFile } from "node:fs/promises";
import { SourceMap } from "node:module";
import { relative, resolve } from "node:path";
import { sourceMapFile, sourceMapFolderOf } from "../../../infra/bundles/assembly-files.ts";

/**
 * Returns the unexpected errors in a function's log, with the files and lines of the sources. The log of a local run may also contain
 * lines of other functions.
 */
export const causesIn = async (log: string, assemblyDirectory: string, functionName: string): Promise<string> => {
  const lines = log.split("\n").filter((line) => line.includes(`"function_name":"${functionName}"`));
  const causes = lines.flatMap((line) => /"internal_error","cause":("(?:[^"\\]|\\.)*")/.exec(line)?.[1] ?? []);
  if (causes.length === 0) return "";
  const map = new SourceMap(JSON.parse(await readFile(sourceMapFile(assemblyDirectory, functionName), "utf8")));
  const decoded = causes.map((cause) =>
    String(JSON.parse(cause)).replaceAll(/[^\s"'()]*\bindex\.js:(\d+):(\d+)/g, (position, line, column) => {
      const origin = map.findOrigin(Number(line), Number(column));
      if (!("fileName" in origin)) return position;
      const file = relative("", resolve(sourceMapFolderOf(assemblyDirectory), origin.fileName));
      return `${file}:${origin.lineNumber}:${origin.columnNumber}`;
    }),
  );
  return [...new Set(decoded)].join("\n\n");
};
