import { type App, type CfnResource, Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/**
 * Checks the templates with cdk-nag during each synthesis, in addition to the CDK's own validation. A finding fails the synthesis
 * unless its construct explains it. Constructs that are added later belong to an application. They are not checked, unless
 * `checksAdditions` is set.
 *
 * `CDK_VALIDATION=false` skips both, which saves the second that it takes to load the rules.
 */
export const addRulePacks = async (app: App, { checksAdditions = false } = {}): Promise<void> => {
  if (process.env.CDK_VALIDATION === "false") return;
  const { AwsSolutionsChecks, ServerlessChecks } = await import("cdk-nag");
  const present = new Set(app.node.findAll());
  const isChecked = (node: CfnResource) => checksAdditions || present.has(node);
  class Solutions extends AwsSolutionsChecks {
    protected override checkResource(node: CfnResource): void {
      if (isChecked(node)) super.checkResource(node);
    }
  }
  class Serverless extends ServerlessChecks {
    protected override checkResource(node: CfnResource): void {
      if (isChecked(node)) super.checkResource(node);
    }
  }
  Validations.of(app).addPlugins(new Solutions(app), new Serverless(app));
};

/** Explains why a rule does not apply to a construct: `explain(role, { "AwsSolutions-IAM5[…]": "…" })`. */
export const explain = (construct: IConstruct, reasons: Readonly<Record<string, string>>): void => {
  for (const [rule, reason] of Object.entries(reasons)) {
    Validations.of(construct).acknowledge({ id: `${rule.split("-")[0]}::${rule}`, reason });
  }
};
