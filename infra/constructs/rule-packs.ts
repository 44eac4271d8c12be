import { type App, Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/**
 * Checks the templates with cdk-nag during each synthesis, in addition to the CDK's own validation. A finding fails the synthesis
 * unless its construct explains it.
 *
 * `CDK_VALIDATION=false` skips both, which saves the second that it takes to load the rules.
 */
export const addRulePacks = async (app: App): Promise<void> => {
  if (process.env.CDK_VALIDATION === "false") return;
  const { AwsSolutionsChecks, ServerlessChecks } = await import("cdk-nag");
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
};

/** Explains why a rule does not apply to a construct: `explain(role, { "AwsSolutions-IAM5[…]": "…" })`. */
export const explain = (construct: IConstruct, reasons: Readonly<Record<string, string>>): void => {
  for (const [rule, reason] of Object.entries(reasons)) {
    Validations.of(construct).acknowledge({ id: `${rule.split("-")[0]}::${rule}`, reason });
  }
};
