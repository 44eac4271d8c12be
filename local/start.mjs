import { howToGetNode, runsTypeScript, runTypeScript } from "./run-typescript.mjs";

if (!runsTypeScript) {
  console.error(howToGetNode);
  process.exit(1);
}
await runTypeScript("start", 1);
