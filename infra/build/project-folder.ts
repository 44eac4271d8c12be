import { fileURLToPath } from "node:url";

/** The top folder of the project. */
export const projectFolder = fileURLToPath(new URL("../..", import.meta.url));
