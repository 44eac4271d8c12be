import { type AwsEnvironment, arnOf } from "../aws-environment.ts";

/** What `Ref` and `Fn::GetAtt` of a resource give locally. */
export interface Identity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What an identity is made from. `name` is the physical name if the template gives one, else the local name. */
export interface Named {
  readonly stackName: string;
  readonly logicalId: string;
  readonly name: string;
  readonly environment: AwsEnvironment;
  readonly baseUrl: string;
  readonly loginUrl: string;
  /** Resolves a property that is part of the identity: on demand, since what it refers to may stand further down. */
  readonly property: (name: string) => string;
}

type Identify = (named: Named) => Identity;

const byName: Identify = ({ name }) => ({ ref: name, attributes: {} });

// AWS names versions and aliases by the ARN of their function, with a qualifier at its end.
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

// A local run starts with no history: each function has the one version that its template declares.
const onlyVersion = "1";

const table: Identify = ({ name, environment }) => ({
  ref: name,
  attributes: { Arn: arnOf(environment, "dynamodb", `table/${name}`) },
});

/** The resource types that run locally, or that shape what runs. */
export const runningTypes: Readonly<Record<string, Identify>> = {
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
        // The issuer of its tokens, and where its discovery document is.
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
  "AWS::IAM::ManagedPolicy": ({ environment, stackName, logicalId }) => {
    const arn = `arn:${environment.partition}:iam::${environment.accountId}:policy/${stackName}-${logicalId}`;
    return { ref: arn, attributes: { PolicyArn: arn } };
  },
  "AWS::IAM::Policy": byName,
  "AWS::IAM::Role": ({ environment, stackName, logicalId }) => ({
    ref: `${stackName}-${logicalId}`,
    attributes: { Arn: `arn:${environment.partition}:iam::${environment.accountId}:role/${stackName}-${logicalId}` },
  }),
  // Nothing is encrypted locally, but what runs names its key.
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
};

/** The resource types that a local run leaves out, each with the reason. Any type in neither table stops the start. */
export const typesWithoutLocalMeaning: Readonly<Record<string, string>> = {
  "AWS::ApiGatewayV2::ApiMapping": "the local run answers at its own address",
  "AWS::ApiGatewayV2::DomainName": "the local run answers at its own address",
  "AWS::CDK::Metadata": "usage statistics of the CDK itself",
  "AWS::CloudWatch::Alarm": "nobody is called at night about a local run",
  "AWS::CloudWatch::CompositeAlarm": "nobody is called at night about a local run",
  "AWS::CloudWatch::Dashboard": "metrics are not collected locally",
  "AWS::Cognito::ManagedLoginBranding": "the local login has a page of its own",
  "AWS::CodeDeploy::Application": "a local run has one version of each function, so there is no traffic to shift",
  "AWS::CodeDeploy::DeploymentGroup": "a local run has one version of each function, so there is no traffic to shift",
  "AWS::Logs::MetricFilter": "metrics are not collected locally",
  "AWS::Logs::QueryDefinition": "functions log to the terminal",
  "AWS::Logs::ResourcePolicy": "functions log to the terminal",
  "AWS::SNS::Subscription": "carries alarms, which do not exist locally",
  "AWS::SNS::Topic": "carries alarms, which do not exist locally",
  "AWS::SNS::TopicPolicy": "carries alarms, which do not exist locally",
};
