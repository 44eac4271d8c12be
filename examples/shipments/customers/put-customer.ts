import * as z from "zod/mini";
import { customer, customerId, endpoint } from "./declared.ts";
import { owns } from "./owns.ts";

export const putCustomer = endpoint({
  method: "PUT",
  path: "/customer/{customer_id}",
  summary: "Store a customer",
  description: "Stores a customer under this `customer_id`, or replaces the customer who is already there.",
  uses: { customers: ["put"] },
  parameters: z.object({ customer_id: customerId }),
  json: z.pick(customer, { name: true, email: true }),
  errors: ["other_customer"],
  responses: { 200: { description: "The customer.", body: customer } },
  async handler({ parameters, json, caller }, { customers }, errors) {
    if (!owns(caller, parameters)) throw errors.other_customer();
    const { record } = await customers.put({ ...parameters, ...json });
    return { status: 200, body: record };
  },
});
