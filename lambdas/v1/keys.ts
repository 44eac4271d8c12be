import { resource } from "../declaration/service.ts";
import { history, keys as keysTable } from "../domain/tables.ts";
import { createKey } from "./create-key.ts";
import { deleteKey } from "./delete-key.ts";
import { getKey } from "./get-key.ts";
import { listKeyChanges } from "./list-key-changes.ts";
import { listKeys } from "./list-keys.ts";
import { replaceKey } from "./replace-key.ts";

/** The keys that clients store, and the histories of deleted keys. Endpoints are named after their files, in camel case. */
export const keys = resource({
  name: "keys",
  folder: import.meta.dirname,
  unnestedIn: "v1",
  tables: { keys: keysTable, history },
  endpoints: { createKey, deleteKey, getKey, listKeyChanges, listKeys, replaceKey },
});
