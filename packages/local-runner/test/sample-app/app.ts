import { App } from "aws-cdk-lib";
import { SampleStack } from "./sample-stack.ts";

const app = new App();
new SampleStack(app);
app.synth();
