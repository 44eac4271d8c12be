import { resource } from "integration-api";
import { declared } from "./declared.ts";
import { getCustomer } from "./get-customer.ts";
import { listCustomers } from "./list-customers.ts";
import { registerCustomer } from "./register-customer.ts";

export const customers = resource({
  ...declared,
  name: "customers",
  folder: import.meta.dirname,
  endpoints: { getCustomer, listCustomers, registerCustomer },
});
