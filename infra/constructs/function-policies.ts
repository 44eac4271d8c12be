import { hash } from "node:crypto";
import { Lazy, Stack } from "aws-cdk-lib";
import {
  type AddToPrincipalPolicyResult,
  CfnPolicy,
  type IPrincipal,
  type IRole,
  Policy,
  type PolicyStatement,
} from "aws-cdk-lib/aws-iam";

/**
 * Collects the rights that an application grants a function. They are in a separate policy, so the built-in rights, which cdk-nag
 * checks, stay unchanged. The function is published after the policy.
 */
export class GrantedRights implements IPrincipal {
  readonly #role: IRole;
  #policy: Policy | undefined;

  constructor(role: IRole) {
    this.#role = role;
  }

  get grantPrincipal() {
    return this;
  }

  get assumeRoleAction() {
    return this.#role.assumeRoleAction;
  }

  get policyFragment() {
    return this.#role.policyFragment;
  }

  /** Must be known, because a grant would otherwise also change the policy of the queue or the bucket. */
  get principalAccount() {
    return this.#role.principalAccount;
  }

  addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#policy ??= this.#addPolicy();
    this.#policy.addStatements(statement);
    return { statementAdded: true, policyDependable: this.#policy };
  }

  #addPolicy(): Policy {
    const policy = new Policy(this.#role, "Granted", { roles: [this.#role] });
    replaceOnChange(this.#role, "Granted");
    return policy;
  }
}

/**
 * Derives the name of a role's policy from its content. All versions of a function share its role. CloudFormation would change a
 * policy with the same name before any calls move to the new version. With a new name, CloudFormation adds the new policy first,
 * and removes the old one only after all calls have moved. During updates and rollbacks, each version therefore keeps its rights
 * for as long as it serves calls.
 */
export const replaceOnChange = (role: IRole, policyId: string): void => {
  const policy = role.node.findChild(policyId).node.defaultChild;
  if (!(policy instanceof CfnPolicy)) throw new Error(`The role ${role.node.id} has no policy ${policyId}.`);
  const stack = Stack.of(role);
  const id: string = stack.resolve(policy.logicalId);
  const content = (): string => hash("sha256", JSON.stringify(stack.resolve(policy.policyDocument)), "hex");
  const idOfContent = Lazy.uncachedString({ produce: () => `${id.slice(-112)}${content().slice(0, 16)}` });
  policy.overrideLogicalId(idOfContent);
  // IAM identifies the policy by this name. If both policies had the same name in IAM, removing the old policy would also remove
  // the new one.
  policy.policyName = idOfContent;
};
