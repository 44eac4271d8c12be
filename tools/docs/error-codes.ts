import { type ErrorCode, errorCatalogue, errorCodes } from "../../lambdas/errors/catalogue.ts";

const isFor =
  (...scopes: string[]) =>
  (code: ErrorCode): boolean =>
    scopes.includes(errorCatalogue[code].scope);

/** The errors that only admins can get. */
export const adminErrorCodes = errorCodes.filter(isFor("admin"));

/** The errors of the pages that browsers load, which concern only operators. */
export const siteErrorCodes = errorCodes.filter(isFor("site"));

/** The errors that a client of the API can get, in the order of the catalogue. */
export const apiErrorCodes = errorCodes.filter((code) => !isFor("admin", "site")(code));
