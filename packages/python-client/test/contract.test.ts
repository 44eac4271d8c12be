import { beforeEach } from "vitest";
import { requirePython } from "../../../test/support/programs.ts";
import { testContract } from "../../client/test/contract/contract.ts";

beforeEach((context) => requirePython(context));

testContract("Python");
