import { runTypeScript } from "./run-typescript.mjs";

await runTypeScript("new", 1);
