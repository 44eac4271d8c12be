import { useQuery } from "@tanstack/react-query";
import { useApp } from "../../../parts/app-context.ts";
import type { Leaks } from "./warned-leaks.ts";

export const useLeaks = () => {
  const { api } = useApp();
  return useQuery({
    queryKey: ["leaks"],
    queryFn: async (): Promise<Leaks> => {
      const { leaks } = await api("leaks", {});
      return new Map(leaks.map((leak) => [leak.token_id, leak]));
    },
  });
};
