import type { Api } from "../../../lambdas/declaration/api.ts";
import { describeApi } from "../../docs/describe-api.ts";

/** As much of an OpenAPI 3.1 description as the contract tests read. */
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

/** What has a schema and examples of it: a body, a header, a parameter. */
export interface Holder {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Operation {
  operationId: string;
  /** `GET` */
  method: string;
  /** `/api/v1/key/{key_id}` */
  path: string;
  responses: OperationObject["responses"];
}

/** The description of an API as its readers get it: JSON. */
export const descriptionOf = (api: Api): Description => JSON.parse(JSON.stringify(describeApi(api)));

export const operationsIn = ({ paths }: Description): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      responses,
    })),
  );

/** Follows a reference, if it is one, into the description. */
export const resolve = <Value extends object>(description: Description, value: OrReference<Value>): Value => {
  if (!("$ref" in value)) return value;
  let target: unknown = description;
  for (const part of value.$ref.slice(2).split("/")) target = (target as Record<string, unknown>)[part];
  return target as Value;
};
