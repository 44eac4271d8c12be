import * as z from "zod/mini";
import { customer, customerId, endpoint } from "./declared.ts";

export const registerCustomer = endpoint({
  method: "PUT",
  path: "/customer/{customer_id}",
  summary: "Register a customer",
  description: "Stores a customer under this `customer_id`, or changes the name.",
  uses: { customers: ["put"] },
  parameters: z.object({ customer_id: customerId }),
  form: z.pick(customer, { name: true }),
  responses: { 200: { description: "The customer.", body: customer } },
  example: { parameters: { customer_id: "acme" }, form: { name: "Acme Ltd." } },
  async handler({ parameters, form }, { customers }) {
    const { record } = await customers.put({ ...parameters, ...form });
    return { status: 200, body: record };
  },
});
