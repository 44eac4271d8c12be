import * as z from "../support/zod.ts";
import { functionType } from "./functions.ts";
import { isAllowed, type Rights, trusts } from "./rights.ts";
import { type NextTime, readScheduleExpression } from "./schedule-expression.ts";
import { type DeployedStacks, readAt, refusal, resourceType } from "./stack-resources.ts";

/** A schedule that invokes a function. */
export interface Schedule {
  name: string;
  arn: string;
  nextTime: NextTime;
  /** The ARN of the function, or of its alias. */
  target: string;
  /** The input that the function receives. Without it, the function receives Scheduler's own event. */
  input: string | undefined;
}

const count = z.optional(z.coerce.number());

const scheduleType = resourceType({
  type: "AWS::Scheduler::Schedule",
  nameProperty: "Name",
  attributes: ({ name, arn }) => ({
    Arn: arn("scheduler", `schedule/default/${name}`),
  }),
  ignored: { "it is the schedule's name already": "Name" },
  schema: z.strictObject({
    ScheduleExpression: z.string(),
    ScheduleExpressionTimezone: z.optional(z.enum(["UTC", "Etc/UTC"], "only schedules in UTC run locally")),
    State: z._default(z.enum(["ENABLED", "DISABLED"]), "ENABLED"),
    GroupName: z.optional(z.literal("default")),
    // A schedule with a window runs at the beginning of its window.
    FlexibleTimeWindow: z.strictObject({ Mode: z.enum(["OFF", "FLEXIBLE"]), MaximumWindowInMinutes: count }),
    Target: z.strictObject({
      Arn: z.string(),
      RoleArn: z.string(),
      Input: z.optional(z.string()),
      // Only concerns requests that don't reach Lambda. In a local run, all of them do.
      RetryPolicy: z.optional(z.strictObject({ MaximumEventAgeInSeconds: count, MaximumRetryAttempts: count })),
    }),
  }),
});

export const scheduleTypes = [scheduleType];

interface SchedulesContext {
  rightsOf: (roleArn: string) => Rights;
  /** Returns the function's own ARN for the ARN of an alias or a version. */
  functionBehind: (arn: string) => string;
}

/** Reads the enabled schedules. A schedule that AWS couldn't run stops the start. */
export const readSchedules = (stacks: DeployedStacks, { rightsOf, functionBehind }: SchedulesContext): Schedule[] => {
  const functionArns = stacks.all(functionType).map(({ attributes }) => attributes.Arn);
  const schedules = stacks.readEach(scheduleType, ({ resource, properties }) => {
    const { ScheduleExpression, State, Target } = properties;
    if (!functionArns.includes(functionBehind(Target.Arn))) {
      throw refusal(resource, `its target ${Target.Arn} is not a function of this app`);
    }
    if (!trusts(stacks, Target.RoleArn, "scheduler.amazonaws.com")) {
      throw refusal(resource, "its role does not let scheduler.amazonaws.com assume it");
    }
    if (!isAllowed(rightsOf(Target.RoleArn), "lambda:InvokeFunction", Target.Arn)) {
      throw refusal(resource, `its role may not invoke ${Target.Arn}`);
    }
    const { ref: name, attributes } = resource;
    const nextTime = readAt(resource, () => readScheduleExpression(ScheduleExpression));
    const schedule = { name, arn: attributes.Arn ?? name, nextTime, target: Target.Arn, input: Target.Input };
    return State === "ENABLED" ? [schedule] : [];
  });
  return schedules.flat();
};
