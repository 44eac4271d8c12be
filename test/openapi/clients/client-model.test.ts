import { expect, test } from "vitest";
import { clientModelOf } from "../../../openapi/clients/client-model.ts";

const practitioner = { type: "object", properties: { name: { type: "string" } } };

const pathReturning = (name: string, schema: object) => ({
  get: {
    operationId: `v1-${name}`,
    summary: "Read it",
    description: "Reads it.",
    responses: { 200: { content: { "application/json": { schema } } } },
  },
});

test("the path of a record names its type, however many lists and changes contain the record", () => {
  const changes = { type: "object", properties: { changed: { type: "array", items: practitioner } } };
  const { schemas } = clientModelOf({
    info: { title: "Clinic", "x-client": "clinic-client" },
    paths: {
      "/api/v1/practitioner/changes": pathReturning("list-practitioner-changes", changes),
      "/api/v1/licence": pathReturning("list-licences", { type: "array", items: practitioner }),
      "/api/v1/clinic/{clinic_id}/practitioner/{practitioner_id}": pathReturning("get-practitioner", practitioner),
    },
    components: { schemas: {} },
  });
  expect([...schemas.keys()]).toEqual(["Practitioner", "PractitionerChanges"]);
});
