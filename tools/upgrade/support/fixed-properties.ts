import { loadAwsServiceSpecSync } from "@aws-cdk/aws-service-spec";

const specification = loadAwsServiceSpecSync();

const resourceType = (type: string) => specification.lookup("resource", "cloudFormationType", "equals", type)[0];

/** Operators attach rules and subscriptions to these, which a new resource would not have. */
const attachedTo = ["AWS::Events::EventBus", "AWS::SNS::Topic"];

/** Whether a resource of this type holds something that deleting it would lose. */
export const isStateful = (type: string): boolean =>
  resourceType(type)?.isStateful === true || attachedTo.includes(type);

/**
 * What the specification that `cdk diff` uses does not say, but the documentation of the services does: these settings are
 * chosen when the resource is created. A change fails the deployment, and its only remedy is a new, empty resource.
 */
const fixedByTheService: Readonly<Record<string, readonly string[]>> = {
  "AWS::Cognito::UserPool": ["AliasAttributes", "UsernameAttributes", "UsernameConfiguration", "Schema"],
  "AWS::KMS::Key": ["KeySpec", "KeyUsage", "MultiRegion", "Origin"],
};

/** The properties of a type that cannot be changed without replacing the resource. */
export const fixedPropertiesOf = (type: string): string[] => {
  const properties = Object.entries(resourceType(type)?.properties ?? {});
  const replacing = properties.filter(([, { causesReplacement = "no" }]) => causesReplacement !== "no");
  return [...replacing.map(([name]) => name), ...(fixedByTheService[type] ?? [])];
};
