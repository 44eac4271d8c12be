import { type ErrorCode, errorCatalogue, errorCodes } from "../../lambdas/errors/catalogue.ts";

const isForAdmins = (code: ErrorCode): boolean => errorCatalogue[code].scope === "admin";

/** The errors that a client of the API can get, in the order of the catalogue. */
export const apiErrorCodes = errorCodes.filter((code) => !isForAdmins(code));

/** The errors that only admins can get. */
export const adminErrorCodes = errorCodes.filter(isForAdmins);
