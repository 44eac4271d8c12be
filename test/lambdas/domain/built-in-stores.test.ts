import { describe } from "vitest";
import { storeNames } from "../../../lambdas/domain/built-in-stores.ts";
import { testDeclaration } from "../support/store-programs.ts";
import { useDatabase } from "../support/stores.ts";

const database = useDatabase();
describe.for(storeNames)("the table of the store %s:", (name) => {
  testDeclaration(name, database);
});
