import type { Item } from "cdk-local-runner/dynamodb-model";
import { strongTag } from "../../lambdas/http/entity-tags.ts";
import { versionOf } from "../../lambdas/resources/keys/key-version.ts";

/** The `ETag` of a stored key; `undefined` if there is none, or only its tombstone. */
export const etagOf = (item: Item | undefined): string | undefined =>
  item?.v_code && strongTag(versionOf({ updated_at: item.updated_at?.S ?? "" }));
