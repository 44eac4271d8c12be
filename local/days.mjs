import { runTypeScript } from "./run-typescript.mjs";

await runTypeScript("days", 2);
