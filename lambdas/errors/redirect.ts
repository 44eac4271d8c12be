/** Ends a request with a redirect. It is not in the error catalogue because it has no body. */
export class Redirect extends Error {
  readonly location: string;

  constructor(location: string) {
    super(`See ${location}.`);
    this.name = "redirect";
    this.location = location;
  }
}
