/*
 * Entity tags (RFC 9110, section 8.8.3). A strong tag, `"x"`, identifies the exact bytes of a representation. A weak tag, `W/"x"`,
 * identifies its meaning.
 */

export const strongTag = (value: string): string => `"${value}"`;

export const weakTag = (value: string): string => `W/"${value}"`;

/** Checks whether `If-None-Match` contains the tag or is `*`. The comparison is weak, so `W/` makes no difference. */
export const matchesAny = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" ||
    tagsIn(ifNoneMatch).some((named) => named.replace(weakMark, "") === tag.replace(weakMark, "")));

/**
 * Returns the values of the strong tags in `If-Match`. Returns `undefined` if there is no condition: no header, or `*`, which any
 * existing resource satisfies. Weak tags and anything that is not a tag match nothing.
 *
 * @example strongValues('"a", W/"b"') // ["a"]
 */
export const strongValues = (ifMatch: string | undefined): string[] | undefined => {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  return tagsIn(ifMatch)
    .filter((tag) => !weakMark.test(tag))
    .map((tag) => tag.slice(1, -1));
};

const weakMark = /^W\//;

const tagPattern = /(?:W\/)?"[^"\s]*"/;
const tagList = new RegExp(`^\\s*${tagPattern.source}(?:\\s*,\\s*${tagPattern.source})*\\s*$`);

/** Returns the tags in a list, or none if the list contains anything else. */
const tagsIn = (list: string): string[] => (tagList.test(list) ? (list.match(new RegExp(tagPattern, "g")) ?? []) : []);
