/** A function, and the version or alias of it that is meant; without a qualifier it is the latest version. */
export interface NamedFunction {
  name: string;
  qualifier: string | undefined;
}

/**
 * Reads the name in the path of an invocation: a function's name, `account:function:name` or its ARN, each with or without
 * `:qualifier`. Undefined if the query names another qualifier, which Lambda refuses (observed).
 *
 * @example functionNamed("admin%3Alive", undefined) // { name: "admin", qualifier: "live" }
 */
export const functionNamed = (encoded: string, queryQualifier: string | undefined): NamedFunction | undefined => {
  const decoded = decode(encoded);
  const [, afterFunction] = /(?:^|:)function:(.+)$/.exec(decoded) ?? [];
  const [name = "", ownQualifier] = (afterFunction ?? decoded).split(":");
  if (ownQualifier !== undefined && queryQualifier !== undefined && ownQualifier !== queryQualifier) return undefined;
  return { name, qualifier: ownQualifier ?? queryQualifier };
};

/** A name that cannot be decoded is no function's name, and the error shows it as it was sent. */
const decode = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return encoded;
    throw error;
  }
};
