/** Ends a request with a redirect. Not an error of the catalogue: there is no body. */
export class Redirect extends Error {
  readonly location: string;

  constructor(location: string) {
    super(`See ${location}.`);
    this.name = "redirect";
    this.location = location;
  }
}
