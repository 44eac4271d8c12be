import { endpointsWith, fields, recordTable } from "integration-api";
import * as z from "zod/mini";

export const customerId = fields.text({ min: 1, max: 40 }).check(z.meta({ examples: ["acme"] }));
const name = fields.text({ min: 1, max: 100 }).check(z.meta({ examples: ["Acme Ltd."] }));

export const customer = z.object({ customer_id: customerId, name });

export const customersTable = recordTable({ partitionKey: "customer_id", schema: customer });

/** What belongs to customers besides their endpoints. */
export const declared = {
  tables: { customers: customersTable },
  errors: {
    customer_not_found: {
      status: 404,
      message: "There is no customer with this customer_id.",
      when: "No customer has this `customer_id`.",
      solve: "Check it, or register the customer.",
    },
  },
} as const;

export const endpoint = endpointsWith(declared);
