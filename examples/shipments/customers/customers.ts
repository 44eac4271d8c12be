import { resource } from "integration-api";
import { declared } from "./declared.ts";
import { listCustomers } from "./list-customers.ts";
import { putCustomer } from "./put-customer.ts";

export const customers = resource({
  ...declared,
  name: "customers",
  folder: import.meta.dirname,
  endpoints: { listCustomers, putCustomer },
  records: { customers: ["name", "email", "updated_at"] },
});
