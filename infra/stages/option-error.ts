/** An unknown option, or an invalid value. The message is written for the operator and needs no stack trace. */
export class OptionError extends Error {
  override name = "OptionError";
}
