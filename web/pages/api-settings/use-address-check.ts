import { useEffect, useState } from "react";
import { toApiFailure } from "../../api/api-failure.ts";
import { useApp } from "../../shell/app-context.ts";

/** What the service says of an address. Nothing yet: both are empty. */
export interface AddressCheck {
  /** The address as a token would have it. */
  canonical: string;
  /** Why no token can be bound to it, in the service's words. */
  problem: string;
}

const unchecked: AddressCheck = { canonical: "", problem: "" };
const pauseMs = 250;

/** Asks the service about an address as soon as the typing pauses. The last word is that of the issue itself. */
export const useAddressCheck = (text: string): AddressCheck => {
  const { api } = useApp();
  const [check, setCheck] = useState(unchecked);

  useEffect(() => {
    setCheck(unchecked);
    if (text === "") return;
    const abandoned = new AbortController();
    const ask = async () => {
      const answer = await api.checkAddress(text, abandoned.signal).then(
        ({ ip }) => ({ canonical: ip ?? "", problem: "" }),
        (error) => ({ canonical: "", problem: toApiFailure(error).fields.ip?.join(" ") ?? "" }),
      );
      if (!abandoned.signal.aborted) setCheck(answer);
    };
    const timer = setTimeout(ask, pauseMs);
    return () => {
      clearTimeout(timer);
      abandoned.abort();
    };
  }, [api, text]);

  return check;
};
