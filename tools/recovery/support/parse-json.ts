/** A file's text as JSON; undefined if it is something else, which a schema then refuses. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
