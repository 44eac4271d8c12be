import { fileURLToPath } from "node:url";
import type { Stack } from "aws-cdk-lib";
import { HttpApi, HttpMethod } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { AttributeType, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { temporaryDirectory } from "../support/services.ts";
import { synthesise } from "../support/synthesise.ts";

const folderOf = (name: string): string => fileURLToPath(new URL(`functions/${name}`, import.meta.url));

/** Notes behind an HTTP API. One function writes them and another reads them, each with only the permission that it needs. */
class Sample extends Construct {
  readonly api = new HttpApi(this, "api");
  readonly notes = new TableV2(this, "notes", { partitionKey: { name: "id", type: AttributeType.STRING } });

  readonly writer = this.addFunction("write-note", HttpMethod.PUT, "/notes/{id}");
  readonly reader = this.addFunction("read-notes", HttpMethod.GET, "/notes");

  constructor(stack: Stack) {
    super(stack, "Sample");
    this.notes.grant(this.writer, "dynamodb:PutItem");
    this.notes.grantReadData(this.reader);
  }

  /** Adds a route and its function. The code's folder has the function's name unless `folder` is given. */
  addFunction(name: string, method: HttpMethod, path: string, folder = folderOf(name)): LambdaFunction {
    const handler = new LambdaFunction(this, name, {
      code: Code.fromAsset(folder),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      environment: { NOTES_TABLE: this.notes.tableName },
    });
    const integration = new HttpLambdaIntegration(`${name}-integration`, handler);
    this.api.addRoutes({ path, methods: [method], integration });
    return handler;
  }
}

/** Synthesises the sample app after a change. The folder is removed after the test. */
export const sampleAssembly = async (change: (sample: Sample) => void = () => {}): Promise<string> =>
  synthesise(await temporaryDirectory(), (stack) => change(new Sample(stack)));
