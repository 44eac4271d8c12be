/** What to do about a leak, wherever the interface warns of one. */
export const leakAdvice =
  "If the client does not recognise the address, somebody else has its token or its invitation: the token's page says what to do. If it does, dismiss the warning there.";

/** What came from a wrong address: a token, an invitation that can still be redeemed, or one that was redeemed before. */
export type LeakCause = "token" | "invitation" | "used invitation";

interface LeakTexts {
  header: string;
  /** What to do if the client does not recognise the address, or one of several addresses. */
  advice: (isOne: boolean) => string;
}

const unlessRecognised = (isOne: boolean): string =>
  `If the client does not recognise ${isOne ? "the address" : "one of the addresses"}`;

/** The texts of the page on which warnings are dismissed. */
export const leakTexts: Record<LeakCause, LeakTexts> = {
  token: {
    header: "The correct secret came from a wrong address",
    advice: (isOne) =>
      `${unlessRecognised(isOne)}, the token has leaked: revoke it and invite the client again. ${isOne ? "If it does, dismiss the warning." : "Dismiss the warning for those that it does recognise, below."}`,
  },
  invitation: {
    header: "The invitation was used from a wrong address",
    advice: (isOne) =>
      `${unlessRecognised(isOne)}, somebody else has read the invitation. If it does, the invitation is for the wrong address. Revoke it in either case, and invite the client again.`,
  },
  "used invitation": {
    header: "The invitation was used again from a wrong address",
    advice: (isOne) =>
      `The invitation is worthless now. If the client has its token, dismiss the warning${isOne ? "" : "s, below"}. If it has none, somebody else has redeemed the invitation: revoke the token and invite the client again.`,
  },
};
