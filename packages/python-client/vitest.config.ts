export { default } from "../client/vitest.config.ts";
