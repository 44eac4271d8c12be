/** An object or array whose end has not been reached: the current position in it, and the members that an object has had so far. */
interface Level {
  at: string | number;
  names: Set<string>;
}

/**
 * Finds members that occur more than once in an object of a valid JSON text, such as `lines.0.quantity`. `JSON.parse` would
 * silently keep the last one.
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
