import { testService } from "integration-api/test";
import { shop } from "../service.ts";

testService(shop);
