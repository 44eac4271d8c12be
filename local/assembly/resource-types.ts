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
}

type Identify = (named: Named) => Identity;

const byName: Identify = ({ name }) => ({ ref: name, attributes: {} });

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
  "AWS::Lambda::Function": ({ name, environment }) => ({
    ref: name,
    attributes: { Arn: arnOf(environment, "lambda", `function:${name}`) },
  }),
  "AWS::Lambda::Permission": byName,
};

/** The resource types that a local run leaves out, each with the reason. Any type in neither table stops the start. */
export const typesWithoutLocalMeaning: Readonly<Record<string, string>> = {
  "AWS::CDK::Metadata": "usage statistics of the CDK itself",
  "AWS::CloudWatch::Alarm": "nobody is called at night about a local run",
  "AWS::CloudWatch::CompositeAlarm": "nobody is called at night about a local run",
  "AWS::CloudWatch::Dashboard": "metrics are not collected locally",
  "AWS::Cognito::ManagedLoginBranding": "the local login has a page of its own",
  "AWS::Logs::LogGroup": "functions log to the terminal",
  "AWS::Logs::MetricFilter": "metrics are not collected locally",
  "AWS::Logs::ResourcePolicy": "functions log to the terminal",
  "AWS::SNS::Subscription": "carries alarms, which do not exist locally",
  "AWS::SNS::Topic": "carries alarms, which do not exist locally",
  "AWS::SNS::TopicPolicy": "carries alarms, which do not exist locally",
};
