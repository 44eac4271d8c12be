import { testContract } from "./contract/contract.ts";

testContract("TypeScript");
