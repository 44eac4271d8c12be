import { type App, Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/**
 * Has the templates checked by cdk-nag at each synthesis, besides the CDK's own validation. A finding ends the synthesis unless
 * the construct that has it says why.
 *
 * `CDK_VALIDATION=false` leaves out both, and the second that it takes to load the rules.
 */
export const addRulePacks = async (app: App): Promise<void> => {
  if (process.env.CDK_VALIDATION === "false") return;
  const { AwsSolutionsChecks, ServerlessChecks } = await import("cdk-nag");
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
};

/** Says why a rule does not hold for a construct: `explain(role, { "AwsSolutions-IAM5[…]": "…" })`. */
export const explain = (construct: IConstruct, reasons: Readonly<Record<string, string>>): void => {
  for (const [rule, reason] of Object.entries(reasons)) {
    Validations.of(construct).acknowledge({ id: `${rule.split("-")[0]}::${rule}`, reason });
  }
};
