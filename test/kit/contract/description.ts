import type { Service } from "../../../lambdas/declaration/service.ts";
import { describeApi } from "../../../openapi/describe-api.ts";

/** The part of an OpenAPI 3.1 description that the contract tests read. */
export interface Description {
  paths: Record<string, Record<string, OperationObject>>;
  components: Record<string, Record<string, unknown>>;
}

type OrReference<Value> = Value | { $ref: string };

interface OperationObject {
  operationId: string;
  responses: Record<string, OrReference<ResponseObject>>;
}

export interface ResponseObject {
  headers?: Record<string, OrReference<HeaderObject>>;
  content?: Record<string, Holder>;
}

export interface HeaderObject extends Holder {
  required?: boolean;
}

/** A part with a schema and examples: a body, a header or a parameter. */
export interface Holder {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Operation {
  operationId: string;
  /** Such as `GET`. */
  method: string;
  /** Such as `/api/v1/key/{key_id}`. */
  path: string;
  responses: OperationObject["responses"];
}

/** Returns the description of a service as its readers get it, after a round trip through JSON. */
export const descriptionOf = (service: Service): Description => JSON.parse(JSON.stringify(describeApi(service)));

export const operationsIn = ({ paths }: Description): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      responses,
    })),
  );

/** Resolves a value in the description if it is a reference. */
export const resolve = <Value extends object>(description: Description, value: OrReference<Value>): Value => {
  if (!("$ref" in value)) return value;
  let target: unknown = description;
  for (const part of value.$ref.slice(2).split("/")) target = (target as Record<string, unknown>)[part];
  return target as Value;
};
