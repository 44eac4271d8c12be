import { resolve } from "node:path";
import { helpIfAsked } from "../../local/help-if-asked.ts";
import { installDeveloperPackages } from "../support/developer-packages.ts";
import { applicationPackages, packPackages } from "../support/packages.ts";

helpIfAsked(`Usage: node tools/release/pack-packages.ts FOLDER

Builds the packages that an application installs, and packs them into files in the folder.
`);

await installDeveloperPackages();
await packPackages(applicationPackages, resolve(process.argv[2] ?? "packages"));
