import { resolve } from "node:path";
import { LocalError } from "cdk-local-runner";
import { writingInto } from "./existing-files.ts";
import { helpIfAsked } from "./help-if-asked.ts";
import { makeApplication, upgradeApplication } from "./new/application.ts";

helpIfAsked(`Usage: integration-api new FOLDER
       integration-api upgrade FOLDER

"new" creates an application of your own in a new folder. The folder's name becomes the name of the service.
"upgrade" replaces the packages in the folder of an application with those of this version.
`);

const isUpgrade = process.argv[2] === "--upgrade";
const [folder, ...others] = process.argv.slice(isUpgrade ? 3 : 2);
try {
  if (folder === undefined || others.length > 0) throw new LocalError("Name one folder, for example ../my-orders.");
  const act = isUpgrade ? upgradeApplication : makeApplication;
  process.stdout.write(`${await writingInto(folder, () => act(resolve(folder), folder))}\n`);
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
