import Negotiator from "negotiator";

/** The content encodings that there are, the smallest first. */
export const encodings = ["br", "gzip", "identity"] as const;

export type Encoding = (typeof encodings)[number];

/** What @types/negotiator does not know yet: which one to take where the client has no favourite. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
}

/** The encoding that an `Accept-Encoding` header likes best; `identity` if it takes none of them, which RFC 9110 allows. */
export const chooseEncoding = (acceptEncoding = ""): Encoding => {
  const negotiator: EncodingNegotiator = new Negotiator({ headers: { "accept-encoding": acceptEncoding } });
  const chosen = negotiator.encoding(encodings, { preferred: encodings });
  return encodings.find((encoding) => encoding === chosen) ?? "identity";
};
