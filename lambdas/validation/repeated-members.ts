/** An object or a list that has not ended: where in it the scan is, and the members of an object that it has seen. */
interface Level {
  at: string | number;
  names: Set<string>;
}

/**
 * Finds the members that objects in a valid JSON text repeat, such as `lines.0.quantity`. `JSON.parse` would keep the last one
 * without a word.
 */
export const repeatedMembers = (json: string): string[] => {
  const repeated = new Set<string>();
  const open: Level[] = [];
  for (const [token, text, colon] of json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\],]/g)) {
    const level = open.at(-1);
    if (token === "{" || token === "[") open.push({ at: token === "{" ? "" : 0, names: new Set() });
    else if (token === "}" || token === "]") open.pop();
    else if (token === "," && typeof level?.at === "number") level.at += 1;
    else if (level && text !== undefined && colon !== undefined) {
      const name: string = JSON.parse(text);
      level.at = name;
      if (level.names.has(name)) repeated.add(open.map(({ at }) => at).join("."));
      level.names.add(name);
    }
  }
  return [...repeated];
};
