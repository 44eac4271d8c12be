import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalError } from "./local-error.ts";

const projectDirectory = fileURLToPath(new URL("..", import.meta.url));

/** Runs the CDK app as the CDK command line does, and gives the folder of the cloud assembly. */
export async function synthesise(
  dataDirectory: string,
  appFile = join(projectDirectory, "infra/app.ts"),
): Promise<string> {
  const directory = join(dataDirectory, "cdk.out");
  const app = spawn(process.execPath, [appFile], {
    cwd: projectDirectory,
    env: {
      ...process.env,
      CDK_OUTDIR: directory,
      // Without the asset's path in the metadata a template tells of a bucket only, which a local run has not.
      CDK_CONTEXT_JSON: JSON.stringify({
        "aws:cdk:enable-asset-metadata": true,
        "aws:cdk:enable-path-metadata": true,
      }),
      // Takes 1.3 to 2 seconds; `cdk synth` and the tests do validate.
      CDK_VALIDATION: "false",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaints = "";
  app.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const [exitCode, signal] = await once(app, "close");
  if (exitCode === 0) return directory;
  throw new LocalError(
    `${complaints}\nThe stack could not be synthesised (${appFile} ended with ${signal ?? exitCode}): mend what it says above.`,
  );
}
