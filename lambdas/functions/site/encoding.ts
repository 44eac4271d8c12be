import Negotiator from "negotiator";

/** The supported content encodings, smallest first. */
export const encodings = ["br", "gzip", "identity"] as const;

export type Encoding = (typeof encodings)[number];

/** An option that @types/negotiator lacks: which encoding to choose if the client has no preference. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
}

/** The encoding that an `Accept-Encoding` header prefers; `identity` if it accepts none of them, which RFC 9110 allows. */
export const chooseEncoding = (acceptEncoding = ""): Encoding => {
  const negotiator: EncodingNegotiator = new Negotiator({ headers: { "accept-encoding": acceptEncoding } });
  const chosen = negotiator.encoding(encodings, { preferred: encodings });
  return encodings.find((encoding) => encoding === chosen) ?? "identity";
};
