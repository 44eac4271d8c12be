import { runTypeScript } from "./run-typescript.mjs";

await runTypeScript("start", 1);
