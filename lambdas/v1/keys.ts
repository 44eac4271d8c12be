// Version 1 of the keys. An endpoint is one file and one line here; it is named after its file, in camel case.

export { createKey } from "./create-key.ts";
export { deleteKey } from "./delete-key.ts";
export { getKey } from "./get-key.ts";
export { listKeys } from "./list-keys.ts";
export { replaceKey } from "./replace-key.ts";
