import { inject } from "vitest";
import { api } from "../../lambdas/api.ts";
import { testPermissions } from "../kit/permissions.ts";

testPermissions(api, { assembly: async () => inject("assemblyDirectory") });
