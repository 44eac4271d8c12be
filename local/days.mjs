import { howToGetNode, runsTypeScript, runTypeScript } from "./run-typescript.mjs";

if (!runsTypeScript) {
  console.error(howToGetNode);
  process.exit(2);
}
await runTypeScript("days", 2);
