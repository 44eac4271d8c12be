import { isRecord } from "../support/is-record.ts";
import * as z from "../support/zod.ts";
import { isAllowed, type Rights } from "./rights.ts";
import { readScheduleExpression, type ScheduleExpression } from "./schedule-expression.ts";
import { ofType, readAt, readProperties, refusal, type StackResource } from "./stack-resources.ts";

/** A schedule that invokes a function. */
export interface Schedule {
  name: string;
  arn: string;
  expression: ScheduleExpression;
  /** The ARN of the function, or of an alias of it. */
  target: string;
  /** The text that the function gets; without it, Scheduler's own event. */
  input: string | undefined;
}

const onlyUtc = "only schedules in UTC run locally";

const scheduleSchema = z.strictObject({
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z.optional(z.enum(["UTC", "Etc/UTC"], onlyUtc)),
  State: z._default(z.enum(["ENABLED", "DISABLED"]), "ENABLED"),
  GroupName: z.optional(z.string()),
  // A schedule with a window is run at its beginning.
  FlexibleTimeWindow: z.strictObject({
    Mode: z.enum(["OFF", "FLEXIBLE"]),
    MaximumWindowInMinutes: z.optional(z.coerce.number()),
  }),
  Target: z.strictObject({
    Arn: z.string(),
    RoleArn: z.string(),
    Input: z.optional(z.string()),
    // Concerns requests that do not reach Lambda, and here all do.
    RetryPolicy: z.optional(
      z.strictObject({
        MaximumEventAgeInSeconds: z.optional(z.coerce.number()),
        MaximumRetryAttempts: z.optional(z.coerce.number()),
      }),
    ),
  }),
});

interface SchedulesContext {
  rightsOf: (roleArn: string) => Rights;
  /** The function's own ARN for the ARN of an alias or a version. */
  functionBehind: (arn: string) => string;
}

/** Reads the schedules that are enabled. One that AWS could not run stops the start. */
export const readSchedules = (
  resources: StackResource[],
  { rightsOf, functionBehind }: SchedulesContext,
): Schedule[] => {
  const groups = ofType(resources, "AWS::Scheduler::ScheduleGroup");
  for (const group of groups) readProperties(group, z.strictObject({}));
  const functions = ofType(resources, "AWS::Lambda::Function").map(({ identity }) => identity.attributes.Arn);
  const roles = ofType(resources, "AWS::IAM::Role");

  return ofType(resources, "AWS::Scheduler::Schedule").flatMap((resource) => {
    const { ScheduleExpression, State, Target } = readProperties(resource, scheduleSchema);
    if (!functions.includes(functionBehind(Target.Arn))) {
      throw refusal(resource, `its target ${Target.Arn} is not a function of this app`);
    }
    if (!trustsScheduler(roles, Target.RoleArn)) {
      throw refusal(resource, "its role does not let scheduler.amazonaws.com assume it");
    }
    if (!isAllowed(rightsOf(Target.RoleArn), "lambda:InvokeFunction", Target.Arn)) {
      throw refusal(resource, `its role may not invoke ${Target.Arn}`);
    }
    const { ref: name, attributes } = resource.identity;
    const schedule = {
      name,
      arn: attributes.Arn ?? name,
      expression: readAt(resource, () => readScheduleExpression(ScheduleExpression)),
      target: Target.Arn,
      input: Target.Input,
    };
    return State === "ENABLED" ? [schedule] : [];
  });
};

const trustsScheduler = (roles: StackResource[], roleArn: string): boolean => {
  const role = roles.find(({ identity }) => identity.attributes.Arn === roleArn);
  const { AssumeRolePolicyDocument: document } = role?.properties ?? {};
  const statements: unknown[] = isRecord(document) && Array.isArray(document.Statement) ? document.Statement : [];
  return statements.some((statement) => {
    const { Effect, Principal } = isRecord(statement) ? statement : {};
    const service = isRecord(Principal) ? Principal.Service : undefined;
    return Effect === "Allow" && [service].flat().includes("scheduler.amazonaws.com");
  });
};
