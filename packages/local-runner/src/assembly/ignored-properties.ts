const forPeople = "text for people";
const noBill = "nothing is paid for locally";
const noMessages = "the local run sends no messages";
const noSecondFactor = "the local login asks for a password only";
const noRefresh = "the local login issues no refresh tokens: a session ends with its access token";
const noOtherSignIn = "concerns ways to sign in without the login page";
const noThrottles = "throttles protect an account's bill and its other users, and a local run has neither";
const notDelivered = "what is sent is shown, and delivered to nobody";
const notEncrypted = "nothing is encrypted locally";
const keptThreads = "threads are kept once they are started";

const table = {
  BillingMode: noBill,
  DeletionProtectionEnabled: "the local run never deletes a table",
  PointInTimeRecoverySpecification: "the data folder can be copied",
  ProvisionedThroughput: noBill,
  SSESpecification: "the data is as safe as the disk that it is on",
  TableClass: noBill,
  TableName: "it is the table's name already",
  Tags: forPeople,
  TimeToLiveSpecification: "DynamoDB only promises deletion within days, so code must not rely on it",
};

/**
 * The properties that make no difference in a local run, by resource type, each with the reason. Any other property that the
 * schema of its type does not name stops the start.
 */
export const ignoredProperties: Record<string, Record<string, string>> = {
  "AWS::ApiGatewayV2::Api": {
    Description: forPeople,
    IpAddressType: "the local run listens on one loopback address",
    Name: forPeople,
    Tags: forPeople,
  },
  "AWS::ApiGatewayV2::Authorizer": { Name: forPeople },
  "AWS::ApiGatewayV2::Integration": {
    Description: forPeople,
  },
  "AWS::ApiGatewayV2::Stage": {
    AccessLogSettings: "functions log to the terminal",
    DefaultRouteSettings: noThrottles,
    Description: forPeople,
    RouteSettings: noThrottles,
    Tags: forPeople,
  },
  "AWS::Cognito::UserPool": {
    AccountRecoverySetting: noMessages,
    AdminCreateUserConfig: "the local users are those of the template and those that the run adds",
    AutoVerifiedAttributes: noMessages,
    DeletionProtection: "the local run never deletes a user",
    EmailConfiguration: noMessages,
    EmailVerificationMessage: noMessages,
    EmailVerificationSubject: noMessages,
    EnabledMfas: noSecondFactor,
    MfaConfiguration: noSecondFactor,
    Policies: "the local run makes random passwords",
    Schema: "the local users have the attributes that the tokens show",
    SmsConfiguration: noMessages,
    SmsVerificationMessage: noMessages,
    UserPoolName: forPeople,
    UserPoolTags: forPeople,
    UserPoolTier: noBill,
    VerificationMessageTemplate: noMessages,
  },
  "AWS::Cognito::UserPoolClient": {
    ClientName: forPeople,
    EnableTokenRevocation: noRefresh,
    ExplicitAuthFlows: noOtherSignIn,
    PreventUserExistenceErrors: "the local login page never tells whether a user exists",
    RefreshTokenValidity: noRefresh,
  },
  "AWS::Cognito::UserPoolDomain": {
    ManagedLoginVersion: "the local login has its own page",
  },
  "AWS::Cognito::UserPoolGroup": {
    Description: forPeople,
    Precedence: "chooses among roles, and a local group has none",
  },
  "AWS::Cognito::UserPoolUser": {
    DesiredDeliveryMediums: noMessages,
  },
  "AWS::DynamoDB::GlobalTable": table,
  "AWS::DynamoDB::Table": table,
  "AWS::Events::EventBus": {
    Description: forPeople,
    Name: "it is the bus's name already",
    Tags: forPeople,
  },
  "AWS::Lambda::Alias": { Description: forPeople, ProvisionedConcurrencyConfig: keptThreads },
  "AWS::Lambda::Function": {
    Architectures: "the code is JavaScript",
    Code: "the code is found through the asset metadata, because the bucket in the template does not exist locally",
    Description: forPeople,
    FunctionName: "a function goes by its construct id locally",
    Tags: forPeople,
    TracingConfig: "traces are not collected locally",
  },
  "AWS::Lambda::Version": { Description: forPeople, ProvisionedConcurrencyConfig: keptThreads },
  "AWS::Logs::SubscriptionFilter": { FilterName: "it is the filter's name already" },
  "AWS::SNS::Topic": {
    DisplayName: notDelivered,
    KmsMasterKeyId: notEncrypted,
    Tags: forPeople,
    TopicName: "it is the topic's name already",
  },
  "AWS::Scheduler::Schedule": {
    Description: forPeople,
    Name: "it is the schedule's name already",
  },
  "AWS::Scheduler::ScheduleGroup": { Name: "it is the group's name already", Tags: forPeople },
};
