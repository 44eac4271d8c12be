import { runTypeScript } from "./run-typescript.mjs";

await runTypeScript("client", 1);
