import type { Endpoint, ResponseDeclaration } from "../../lambdas/declaration/endpoint.ts";

/** The response of a `GET` that has an `ETag`, to which `If-None-Match` applies; `undefined` if the endpoint has none. */
export const taggedResponse = ({
  method,
  responses,
}: Pick<Endpoint, "method" | "responses">): ResponseDeclaration | undefined =>
  method === "GET" ? Object.values(responses).find(({ paged, versioned }) => paged || versioned) : undefined;
