import { type AwsEnvironment, arnOf } from "../support/aws-environment.ts";

/** What `Ref` and `Fn::GetAtt` of a resource return locally. */
export interface Identity {
  ref: string;
  attributes: Record<string, string>;
}

/** What an identity is made from. `name` is the physical name if the template has one, otherwise the local name. */
interface Named {
  stackName: string;
  logicalId: string;
  name: string;
  environment: AwsEnvironment;
  baseUrl: string;
  loginUrl: string;
  /** Resolves a property that is part of the identity. On demand, because it may refer to a later resource. */
  property: (name: string) => string;
}

type Identify = (named: Named) => Identity;

const byName: Identify = ({ name }) => ({ ref: name, attributes: {} });

// `Ref` of a version or an alias is the function's ARN with a qualifier at its end.
const qualified =
  (qualifierOf: (named: Named) => string): Identify =>
  (named) => ({
    get ref() {
      return `${functionArn(named.environment, named.property("FunctionName"))}:${qualifierOf(named)}`;
    },
    attributes: { Version: onlyVersion },
  });

const functionArn = (environment: AwsEnvironment, functionName: string): string =>
  functionName.startsWith("arn:") ? functionName : arnOf(environment, "lambda", `function:${functionName}`);

// A local run has no earlier deployments, so each function has only the version in the template.
const onlyVersion = "1";

const table: Identify = ({ name, environment }) => ({
  ref: name,
  attributes: { Arn: arnOf(environment, "dynamodb", `table/${name}`) },
});

/** The resource types that run locally or that affect what runs. */
export const runningTypes: Record<string, Identify> = {
  "AWS::ApiGatewayV2::Api": ({ logicalId, baseUrl }) => ({
    ref: logicalId,
    attributes: { ApiId: logicalId, ApiEndpoint: baseUrl },
  }),
  "AWS::ApiGatewayV2::Authorizer": byName,
  "AWS::ApiGatewayV2::Integration": byName,
  "AWS::ApiGatewayV2::Route": byName,
  "AWS::ApiGatewayV2::Stage": byName,
  "AWS::Cognito::UserPool": ({ logicalId, environment, loginUrl }) => {
    const id = `${environment.region}_${logicalId}`;
    return {
      ref: id,
      attributes: {
        Arn: arnOf(environment, "cognito-idp", `userpool/${id}`),
        ProviderName: `cognito-idp.${environment.region}.${environment.urlSuffix}/${id}`,
        // The issuer of the tokens, and the address of its discovery document.
        ProviderURL: loginUrl,
        UserPoolId: id,
      },
    };
  },
  "AWS::Cognito::UserPoolClient": ({ logicalId }) => ({ ref: logicalId, attributes: { ClientId: logicalId } }),
  "AWS::Cognito::UserPoolDomain": byName,
  "AWS::Cognito::UserPoolGroup": byName,
  "AWS::Cognito::UserPoolUser": byName,
  "AWS::Cognito::UserPoolUserToGroupAttachment": byName,
  "AWS::DynamoDB::GlobalTable": table,
  "AWS::DynamoDB::Table": table,
  "AWS::Events::EventBus": ({ name, environment }) => ({
    ref: name,
    attributes: { Arn: arnOf(environment, "events", `event-bus/${name}`), Name: name },
  }),
  "AWS::IAM::ManagedPolicy": ({ environment, stackName, logicalId }) => {
    const arn = `arn:${environment.partition}:iam::${environment.accountId}:policy/${stackName}-${logicalId}`;
    return { ref: arn, attributes: { PolicyArn: arn } };
  },
  "AWS::IAM::Policy": byName,
  "AWS::IAM::Role": ({ environment, stackName, logicalId }) => ({
    ref: `${stackName}-${logicalId}`,
    attributes: { Arn: `arn:${environment.partition}:iam::${environment.accountId}:role/${stackName}-${logicalId}` },
  }),
  // Nothing is encrypted locally, but resources that run refer to their key.
  "AWS::KMS::Key": ({ logicalId, environment }) => ({
    ref: logicalId,
    attributes: { Arn: arnOf(environment, "kms", `key/${logicalId}`), KeyId: logicalId },
  }),
  "AWS::Lambda::Alias": qualified(({ property }) => property("Name")),
  "AWS::Lambda::Function": ({ name, environment }) => ({
    ref: name,
    attributes: { Arn: arnOf(environment, "lambda", `function:${name}`) },
  }),
  "AWS::Lambda::Permission": byName,
  "AWS::Lambda::Version": qualified(() => onlyVersion),
  "AWS::Logs::LogGroup": ({ name, environment }) => ({
    ref: name,
    attributes: { Arn: arnOf(environment, "logs", `log-group:${name}:*`) },
  }),
  "AWS::Logs::SubscriptionFilter": byName,
  "AWS::SNS::Subscription": byName,
  "AWS::SNS::Topic": ({ name, environment }) => {
    const arn = arnOf(environment, "sns", name);
    return { ref: arn, attributes: { TopicArn: arn, TopicName: name } };
  },
  "AWS::SNS::TopicPolicy": byName,
  "AWS::Scheduler::Schedule": ({ name, environment, property }) => ({
    ref: name,
    attributes: {
      get Arn() {
        const group = property("GroupName");
        return arnOf(environment, "scheduler", `schedule/${group === "undefined" ? "default" : group}/${name}`);
      },
    },
  }),
  "AWS::Scheduler::ScheduleGroup": ({ name, environment }) => ({
    ref: name,
    attributes: { Arn: arnOf(environment, "scheduler", `schedule-group/${name}`) },
  }),
};

/** The resource types that a local run leaves out, each with the reason. A type that is in neither table stops the start. */
export const typesWithoutLocalMeaning: Record<string, string> = {
  "AWS::ApiGatewayV2::ApiMapping": "the local run answers at its own address",
  "AWS::ApiGatewayV2::DomainName": "the local run answers at its own address",
  "AWS::CDK::Metadata": "usage statistics of the CDK itself",
  "AWS::CloudFormation::CustomResource": "only a deployment calls the function behind it",
  "AWS::CloudWatch::Alarm": "nobody needs to be alerted about a local run",
  "AWS::CloudWatch::CompositeAlarm": "nobody needs to be alerted about a local run",
  "AWS::CloudWatch::Dashboard": "metrics are not collected locally",
  "AWS::Cognito::ManagedLoginBranding": "the local login has its own page",
  "AWS::CodeDeploy::Application": "a local run has one version of each function, so there is no traffic to shift",
  "AWS::CodeDeploy::DeploymentGroup": "a local run has one version of each function, so there is no traffic to shift",
  "AWS::Logs::MetricFilter": "metrics are not collected locally",
  "AWS::Logs::QueryDefinition": "functions log to the terminal",
  "AWS::Logs::ResourcePolicy": "functions log to the terminal",
};
