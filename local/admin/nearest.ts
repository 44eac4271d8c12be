/** The names that the user may have meant: those with few differences, and those that contain the text or begin with it. */
export const nearestNames = (text: string, names: readonly string[]): string[] => {
  const typed = text.toLowerCase().replaceAll("-", "_");
  const allowed = Math.max(1, Math.floor(typed.length / 3));
  return names
    .map((name) => ({ name, differences: typed !== "" && name.split("_").includes(typed) ? 0 : distance(typed, name) }))
    .filter(({ name, differences }) => differences <= allowed || (typed.length > 1 && name.startsWith(typed)))
    .toSorted((one, other) => one.differences - other.differences)
    .slice(0, 5)
    .map(({ name }) => name);
};

/** How many letters must be added, removed, replaced or swapped with the next one to turn one text into the other. */
const distance = (one: string, other: string): number => {
  let [beforeLast, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (current[column - 1] ?? 0) + 1,
        (last[column] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
};
