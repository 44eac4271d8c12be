import { SourceMap, type SourceMapPayload } from "node:module";
import type { Bundle } from "../../infra/build/bundles/bundle-entry.ts";

export interface Decoded {
  text: string;
  /** How many positions in the bundle the text had. */
  positions: number;
  /** How many of them the bundle does not have. */
  unknown: number;
}

/** Replaces every position in a function's `index.js` by the file and line of the sources that it stands for. */
export const decodePositions = (text: string, { code, sourceMap }: Bundle): Decoded => {
  const payload: SourceMapPayload = JSON.parse(new TextDecoder().decode(sourceMap));
  const map = new SourceMap(payload);
  const lines = new TextDecoder().decode(code).split("\n");
  const decoded: Decoded = { text, positions: 0, unknown: 0 };

  decoded.text = text.replaceAll(/[^\s"'()]*\bindex\.js:(\d+):(\d+)/g, (position, lineText, columnText) => {
    decoded.positions += 1;
    const [line, column] = [Number(lineText), Number(columnText)];
    const origin = map.findOrigin(line, column);
    // For a position after the end of a line, the map would give the last one before it.
    if (column <= (lines[line - 1]?.length ?? 0) && "fileName" in origin) {
      return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
    }
    decoded.unknown += 1;
    return `${position} (not in this bundle)`;
  });
  return decoded;
};
