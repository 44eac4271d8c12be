// The parts of negotiator that functions use. Its main module also brings languages and character sets.

declare module "negotiator/lib/mediaType.js" {
  /** Returns the media types of an `Accept` header, or the available ones that it accepts, in the client's order of preference. */
  export default function preferredMediaTypes(accept: string, available?: readonly string[]): string[];
}

declare module "negotiator/lib/encoding.js" {
  /** Returns the available encodings that an `Accept-Encoding` header accepts. `preferred` decides between equal weights. */
  export default function preferredEncodings(
    accept: string,
    available: readonly string[],
    preferred: readonly string[],
  ): string[];
}
