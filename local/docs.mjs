import { runTypeScript } from "./run-typescript.mjs";

await runTypeScript("docs", 1);
