/**
 * Makes a sink that puts a prefix before every line. A line that comes in pieces is passed on when it is complete.
 *
 * @example prefixLines("[admin] ", write)("one\ntwo\n") // write("[admin] one\n[admin] two\n")
 */
export function prefixLines(prefix: string, write: (text: string) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) write(lines.map((line) => `${prefix}${line}\n`).join(""));
  };
}
