/*
 * Entity tags (RFC 9110, section 8.8.3): `"x"` is a strong one, which identifies the very bytes of a representation, and
 * `W/"x"` a weak one, which identifies its meaning.
 */

export const strongTag = (value: string): string => `"${value}"`;

export const weakTag = (value: string): string => `W/"${value}"`;

/** Whether `If-None-Match` names the tag, or is `*`. The comparison is weak, so a `W/` makes no difference. */
export const matchesAny = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" ||
    tagsIn(ifNoneMatch).some((named) => named.replace(weakMark, "") === tag.replace(weakMark, "")));

/**
 * The values of the strong tags in `If-Match`; `undefined` if there is no condition: no header, or `*`, which any existing
 * resource fulfils. Weak tags and anything that is not a tag match nothing.
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

/** The tags in a list; none if anything else is in it. */
const tagsIn = (list: string): string[] => (tagList.test(list) ? (list.match(new RegExp(tagPattern, "g")) ?? []) : []);
