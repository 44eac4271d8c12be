import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, Stack, Stage } from "aws-cdk-lib";
import { Code, type FunctionOptions, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";

/** Synthesises a stack below a folder, and returns the folder of its cloud assembly. */
export const synthesise = (directory: string, build: (stack: Stack) => void): string => {
  const app = new App({
    outdir: join(directory, "cdk.out"),
    // Tells the local run where the code is.
    context: { "aws:cdk:enable-asset-metadata": true, "aws:cdk:enable-path-metadata": true },
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
  });
  build(new Stack(app, "Test"));
  return app.synth().directory;
};

/** Adds a function, and writes its code next to the assembly. */
export const addFunction = (
  stack: Stack,
  name: string,
  code: string,
  options: FunctionOptions = {},
): LambdaFunction => {
  const folder = join(Stage.of(stack)?.outdir ?? "", "../code", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.js"), code);
  return new LambdaFunction(stack, name, {
    ...options,
    code: Code.fromAsset(folder),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
  });
};
