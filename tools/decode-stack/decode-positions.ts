import { SourceMap, type SourceMapPayload } from "node:module";
import type { Bundle } from "../../infra/build/bundles/lazy-functions.ts";

export interface Decoded {
  text: string;
  /** The number of positions in the text. */
  positions: number;
  /** The number of them that do not exist in the bundle. */
  unknown: number;
}

/** Replaces every position in a function's `index.js` with the file and line in the sources. */
export const decodePositions = (text: string, { code, sourceMap }: Bundle): Decoded => {
  const payload: SourceMapPayload = JSON.parse(new TextDecoder().decode(sourceMap));
  const map = new SourceMap(payload);
  const lines = new TextDecoder().decode(code).split("\n");
  const decoded: Decoded = { text, positions: 0, unknown: 0 };

  decoded.text = text.replaceAll(/[^\s"'()]*\bindex\.js:(\d+):(\d+)/g, (position, lineText, columnText) => {
    decoded.positions += 1;
    const [line, column] = [Number(lineText), Number(columnText)];
    const origin = map.findOrigin(line, column);
    // For a position after the end of a line, the map would return the last one on the line.
    if (column <= (lines[line - 1]?.length ?? 0) && "fileName" in origin) {
      return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
    }
    decoded.unknown += 1;
    return `${position} (not in this bundle)`;
  });
  return decoded;
};
