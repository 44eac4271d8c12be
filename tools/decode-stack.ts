import { SourceMap } from "node:module";
import { text } from "node:stream/consumers";
import { bundleEntry } from "../infra/bundles/bundle.ts";
import { functionsOf } from "../infra/functions.ts";
import { api } from "../lambdas/api.ts";
import { helpIfAsked } from "../local/help-if-asked.ts";

const functions = functionsOf(api);

const usage = `Usage: npm run decode-stack -- <function> [--untrimmed-sdk]

Prints a stack trace or lines of the deployed log from the standard input with the files and lines of the sources. Check out
the commit that was deployed first: the bundle is built from it again. --untrimmed-sdk is for a service that was deployed with
-c trimSdk=false. The functions are: ${functions.map(({ name }) => name).join(", ")}.
`;

const decode = async (log: string, bundle: Awaited<ReturnType<typeof bundleEntry>>): Promise<string> => {
  const [code, sourceMap] = [bundle.code, bundle.sourceMap].map((bytes) => new TextDecoder().decode(bytes));
  const lines = code?.split("\n") ?? [];
  const map = new SourceMap(JSON.parse(sourceMap ?? ""));
  return log.replaceAll(/[^\s"'()]*\bindex\.js:(\d+):(\d+)/g, (position, ...numbers) => {
    const [line = 0, column = 0] = numbers.map(Number);
    const origin = map.findOrigin(line, column);
    // For a position after the end of a line, the map would return the last mapping of the line.
    return column <= (lines[line - 1]?.length ?? 0) && "fileName" in origin
      ? `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
      : `${position} (not in this bundle: is this the commit that was deployed?)`;
  });
};

helpIfAsked(usage);
const [name, option] = process.argv.slice(2);
const found = functions.find((each) => each.name === name);
if (found) {
  const bundle = await bundleEntry({ name: found.name, ...found.code }, { trimSdk: option !== "--untrimmed-sdk" });
  // In the log, the line breaks of a stack trace are escaped as in JSON.
  process.stdout.write((await decode(await text(process.stdin), bundle)).replaceAll("\\n", "\n"));
} else {
  process.stderr.write(usage);
  process.exitCode = 1;
}
