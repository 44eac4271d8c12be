import { pageQuery } from "integration-api";
import * as z from "zod/mini";
import { customer, customersTable, endpoint, staff } from "./declared.ts";

export const listCustomers = endpoint({
  method: "GET",
  path: "/customer",
  summary: "List customers",
  description: "Returns a page of customers, in no particular order. Only for our own staff.",
  uses: { customers: ["list"] },
  query: pageQuery(customersTable),
  errors: ["other_customer"],
  example: { client: staff },
  responses: { 200: { description: "A page of customers.", body: z.array(customer), paged: true } },
  async handler({ query, caller }, { customers }, errors) {
    if (caller.client !== staff) throw errors.other_customer();
    const { records, next } = await customers.list(query);
    return { status: 200, body: records, next };
  },
});
