import { CfnResource, type NestedStack } from "aws-cdk-lib";
import type { Alias } from "aws-cdk-lib/aws-lambda";
import type { LiveFunction } from "./service-function.ts";

/**
 * The number of CodeDeploy deployments that run at once. Lambda's control plane accepts 15 requests per second for all of them, and
 * CodeDeploy fails a deployment if Lambda rejects its request.
 */
const deploymentsAtOnce = 10;

/**
 * Makes functions switch to their new versions in turns. The site comes last, because its pages call the admin functions and must
 * not reach older versions of them.
 */
export const takeTurns = (functions: readonly LiveFunction[]): void => {
  const {
    admins = [],
    site = [],
    others = [],
  } = Object.groupBy(functions, ({ kind }) =>
    kind === "site" ? "site" : kind.startsWith("admin") ? "admins" : "others",
  );
  const inOrder = [...admins, ...others, ...site];
  for (const [index, { alias }] of inOrder.slice(deploymentsAtOnce).entries()) waitFor(alias, inOrder[index]?.alias);
  for (const { alias } of site) for (const admin of admins) waitFor(alias, admin.alias);
};

/** Makes nested stacks wait until the functions of their parent stack have switched, and then for each other. */
export const deployInOrder = (functions: readonly LiveFunction[], stacks: readonly NestedStack[]): void => {
  for (const [index, { nestedStackResource }] of stacks.entries()) {
    const previous = stacks[index - 1]?.nestedStackResource;
    if (previous) nestedStackResource?.addResourceDependency(previous);
    else for (const { alias } of functions) nestedStackResource?.addResourceDependency(resourceOf(alias));
  }
};

const waitFor = (alias: Alias, other: Alias | undefined): void => {
  if (other) resourceOf(alias).addResourceDependency(resourceOf(other));
};

/** Returns the alias resource, without the permissions to call it. */
const resourceOf = ({ node }: Alias): CfnResource => {
  if (CfnResource.isCfnResource(node.defaultChild)) return node.defaultChild;
  throw new Error(`${node.path} has no resource.`);
};
