import { Aws, CfnResource, Fn, RemovalPolicy } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/**
 * The first part of the GUID in the stack id, for names that AWS does not generate. No other stack in any account has the same
 * GUID, not even a new stack with the same name.
 */
export const nameSuffix = Fn.select(0, Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))));

/**
 * Gives a resource a logical id that refactoring cannot change. If the id changed, CloudFormation would replace the resource with
 * an empty one.
 */
export const fixLogicalId = ({ node: { defaultChild: resource } }: IConstruct, id: string): void => {
  if (resource instanceof CfnResource) resource.overrideLogicalId(id);
};

/** Returns the policy that keeps a resource when it leaves its stack, unless its first deployment fails. */
export const keptIf = (keepsData: boolean): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
