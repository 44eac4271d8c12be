/**
 * Returns a function that writes texts with a prefix before every line. An incomplete line is kept until its rest comes.
 *
 * @example prefixLines("[admin] ", write)("one\ntwo\n") // write("[admin] one\n[admin] two\n")
 */
export const prefixLines = (prefix: string, write: (text: string) => void): ((text: string) => void) => {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) write(lines.map((line) => `${prefix}${line}\n`).join(""));
  };
};
