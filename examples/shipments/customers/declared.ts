import { type ApplicationDeclarations, endpointsWith, fields, recordTable } from "integration-api";
import * as z from "zod/mini";

/** The client of our own staff's tokens. No customer can have this id. */
export const staff = "staff";

export const customerId = fields.id({ max: 40 }).check(
  z.refine((id) => id !== staff, `must not be ${staff}.`),
  fields.example("acme"),
);

export const customersTable = recordTable({
  partitionKey: "customer_id",
  schema: z.object({
    customer_id: customerId,
    name: fields.text({ min: 1, max: 100 }).check(fields.example("Acme Ltd.")),
    email: z.nullable(z.email().check(fields.example("dispatch@acme.example"))),
  }),
});
export const customer = customersTable.schema;

/** What belongs to customers besides their endpoints. */
export const declared = {
  tables: { customers: customersTable },
  errors: {
    other_customer: {
      status: 403,
      message: "This token can only be used for its own customer.",
      when: "The token belongs to another customer.",
      solve: "Use your own `customer_id`: `GET /token` returns it as `client`. A token without one cannot be used.",
    },
  },
} as const satisfies ApplicationDeclarations;

export const endpoint = endpointsWith(declared);
