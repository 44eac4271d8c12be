import { QueryClient } from "@tanstack/react-query";
import type { ApiFailure } from "./api-failure.ts";

declare module "@tanstack/react-query" {
  interface Register {
    defaultError: ApiFailure;
  }
}

/** Loads and keeps what the pages show: when a page appears, when the user asks for it, and as often as a page says. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { networkMode: "always", retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false },
    },
  });
