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

/** Stands for every version that a resource can have. No tag has this value, because it contains a space. */
export const anyVersion = "any version";

/** Stands for a resource that does not exist. */
export const noVersion = "no version";

/**
 * Returns the versions in which a request may change a resource: the values of the strong tags in `If-Match`, `[anyVersion]` for
 * `*`, and `[noVersion]` for `*` in `If-None-Match`. Returns `undefined` if there is no condition. Weak tags, other conditions in
 * `If-None-Match`, and anything that is not a tag match nothing.
 *
 * @example expectedVersions({ "if-match": '"a", W/"b"' }) // ["a"]
 */
export const expectedVersions = (headers: Readonly<Record<string, string | undefined>>): string[] | undefined => {
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = headers;
  if (ifNoneMatch !== undefined) return ifMatch === undefined && ifNoneMatch.trim() === "*" ? [noVersion] : [];
  if (ifMatch === undefined) return undefined;
  if (ifMatch.trim() === "*") return [anyVersion];
  return tagsIn(ifMatch)
    .filter((tag) => !weakMark.test(tag))
    .map((tag) => tag.slice(1, -1));
};

const weakMark = /^W\//;

const tagPattern = /(?:W\/)?"[^"\s]*"/;
const tagList = new RegExp(`^\\s*${tagPattern.source}(?:\\s*,\\s*${tagPattern.source})*\\s*$`);

/** Returns the tags in a list, or none if the list contains anything else. */
const tagsIn = (list: string): string[] => (tagList.test(list) ? (list.match(new RegExp(tagPattern, "g")) ?? []) : []);
