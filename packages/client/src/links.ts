/* RFC 8288. What follows a comma outside quotes is another link; what follows a malformed link is ignored. */
const link = /[\s,]*<([^>]*)>((?:[^",]|"(?:[^"\\]|\\.)*")*)/gy;
const parameter = /;\s*([^\s=;"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)))?/g;

/**
 * The target of the first link with a relation type in a `Link` header. Links with another context than the response itself
 * (`anchor`) do not count.
 *
 * @example findLink('</key?cursor=Mg>; rel="next"', "next") // "/key?cursor=Mg"
 */
export const findLink = (header: string, relation: string): string | undefined => {
  for (const [, target, parameters = ""] of header.matchAll(link)) {
    const values = parametersOf(parameters);
    const relations = values.get("rel")?.toLowerCase().split(/\s+/) ?? [];
    if (relations.includes(relation) && !values.has("anchor")) return target;
  }
  return undefined;
};

/** The parameters by their names in lower case. If one occurs twice, the first counts, as the RFC demands of `rel`. */
const parametersOf = (text: string): Map<string, string> => {
  const values = new Map<string, string>();
  for (const [, name = "", quoted, token = ""] of text.matchAll(parameter)) {
    const key = name.toLowerCase();
    if (!values.has(key)) values.set(key, quoted?.replaceAll(/\\(.)/g, "$1") ?? token);
  }
  return values;
};
