import { testService } from "integration-api/test";
import { freight } from "../service.ts";

testService(freight);
