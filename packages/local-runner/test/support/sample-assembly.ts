import { App } from "aws-cdk-lib";
import { SampleStack } from "../sample-app/sample-stack.ts";
import { temporaryDirectory } from "./folders.ts";

/** Synthesises the sample app, after a change to its stack, into a folder that is removed after the test. */
export const sampleAssembly = async (change: (stack: SampleStack) => void = () => {}): Promise<string> => {
  const app = new App({
    outdir: await temporaryDirectory(),
    context: { "aws:cdk:enable-asset-metadata": true, "aws:cdk:enable-path-metadata": true },
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
  });
  change(new SampleStack(app));
  return app.synth().directory;
};
