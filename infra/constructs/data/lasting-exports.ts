import { CfnResource, type Stack } from "aws-cdk-lib";

/**
 * What a stack exports of its resources, whether or not another stack uses it at the moment.
 *
 * The CDK exports what the other stack of the same version uses. An upgrade deploys the data stack first, while the API's stack
 * is still of the earlier version, and a rollback deploys the API's stack of the earlier version alone. So an export must stay
 * for as long as any release uses it: test/infra/released-outputs.test.ts compares this with the recorded releases.
 */
const lastingAttributes: Readonly<Record<string, readonly string[]>> = {
  "AWS::Cognito::UserPool": ["Ref", "ProviderURL"],
  "AWS::DynamoDB::GlobalTable": ["Ref", "Arn"],
  "AWS::Events::EventBus": ["Ref", "Arn"],
  "AWS::KMS::Key": ["Arn"],
  "AWS::Logs::LogGroup": ["Ref", "Arn"],
  "AWS::SNS::Topic": ["Ref"],
};

/** Exports the lasting attributes of all resources in a stack. */
export const addLastingExports = (stack: Stack): void => {
  const resources = stack.node.findAll().filter((construct) => CfnResource.isCfnResource(construct));
  for (const resource of resources) {
    for (const attribute of lastingAttributes[resource.cfnResourceType] ?? []) {
      stack.exportValue(attribute === "Ref" ? resource.ref : resource.getAtt(attribute));
    }
  }
};
