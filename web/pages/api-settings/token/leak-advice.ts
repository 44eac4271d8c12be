/** What to do about a leak, wherever the interface warns of one. */
export const leakAdvice =
  "If the client does not recognise the address, the token has leaked: revoke it and issue a new one. If it does, dismiss the warning on the token's page.";

/** The same on the page where the warnings are dismissed. */
export const leakAdviceHere = (addresses: number): string =>
  addresses === 1
    ? "If the client does not recognise the address, the token has leaked: revoke it and issue a new one. If it does, dismiss the warning."
    : "If the client does not recognise one of the addresses, the token has leaked: revoke it and issue a new one. Dismiss the warning for those that it does recognise, below.";
