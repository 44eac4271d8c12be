import * as z from "zod/mini";
import { customer, customerId, endpoint } from "./declared.ts";

export const getCustomer = endpoint({
  method: "GET",
  path: "/customer/{customer_id}",
  summary: "Read a customer",
  description: "Returns the customer with this `customer_id`.",
  uses: { customers: ["get"] },
  parameters: z.object({ customer_id: customerId }),
  errors: ["customer_not_found"],
  responses: { 200: { description: "The customer.", body: customer } },
  async handler({ parameters }, { customers }, errors) {
    const record = await customers.get(parameters.customer_id);
    if (!record) throw errors.customer_not_found();
    return { status: 200, body: record };
  },
});
