/** Formats a log for people: JSON is printed on several lines, and stack traces keep their line breaks. */
export const readableLog = (text: string): string => text.split("\n").map(readableLine).join("\n");

/** A line may have something before its JSON, such as the time or the name of the function. */
const readableLine = (line: string): string => {
  const start = line.indexOf("{");
  const fields = start < 0 ? undefined : parseJson(line.slice(start));
  if (fields === undefined) return line;
  // The line breaks within strings, but not a backslash that happens to precede an "n".
  return line.slice(0, start) + JSON.stringify(fields, undefined, 2).replaceAll(/(?<!\\)((?:\\\\)*)\\n/g, "$1\n");
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
