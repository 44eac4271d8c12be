import { CfnResource, type NestedStack } from "aws-cdk-lib";
import type { Alias } from "aws-cdk-lib/aws-lambda";
import type { LiveFunction } from "./service-function.ts";

/**
 * How many deployments of CodeDeploy run at once. Lambda's control plane takes 15 requests a second from all of them, and
 * CodeDeploy fails a deployment whose request is refused.
 */
const deploymentsAtOnce = 10;

/**
 * Makes functions switch to their new versions in turns. The site comes last, because its pages call the functions of the admin
 * and must not meet older ones.
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

/** Makes nested stacks wait until the functions of their parent have switched, and then for one another. */
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

/** The alias itself, without the permissions to call it. */
const resourceOf = ({ node }: Alias): CfnResource => {
  if (CfnResource.isCfnResource(node.defaultChild)) return node.defaultChild;
  throw new Error(`${node.path} has no resource.`);
};
