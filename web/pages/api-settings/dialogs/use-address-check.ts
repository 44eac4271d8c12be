import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { fieldError } from "../../../api/api-failure.ts";
import { useApp } from "../../../parts/app-context.ts";

/** The service's opinion of an address. Both are empty until it is known. */
interface AddressCheck {
  /** The address in canonical form. */
  canonical: string;
  /** Why no token can be bound to it. */
  error: string;
}

const pauseMs = 250;

/** Asks the service about an address as soon as the typing pauses. The issue itself checks it again. */
export const useAddressCheck = (ip: string): AddressCheck => {
  const { api } = useApp();
  const [settled, setSettled] = useState(ip);
  useEffect(() => {
    const timer = setTimeout(setSettled, pauseMs, ip);
    return () => clearTimeout(timer);
  }, [ip]);

  const isSettled = ip !== "" && settled === ip;
  const { data, error } = useQuery({
    queryKey: ["address", ip],
    queryFn: ({ signal }) => api("address", { ip }, { signal }),
    enabled: isSettled,
  });
  return { canonical: data?.ip ?? "", error: fieldError(error, "ip") };
};
