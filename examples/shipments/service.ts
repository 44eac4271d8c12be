import { service, tokens } from "integration-api";
import { customers } from "./customers/customers.ts";
import { shipments } from "./shipments/shipments.ts";

/** The service: everything that is deployed, run locally and documented follows from it. */
export const api = service({
  name: "Freight",
  title: "Freight API",
  guide: `${import.meta.dirname}/guide`,
  exampleClient: "acme",
  versions: { v1: [tokens, customers, shipments] },
});
