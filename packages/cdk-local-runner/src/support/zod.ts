import * as z from "zod/mini";

/** Describes an invalid value in terms that users of CloudFormation and of the runner know. */
const describe = (issue: z.core.$ZodRawIssue): string => {
  switch (issue.code) {
    case "unrecognized_keys":
      return `${issue.keys.join(", ")} is not supported`;
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be of type ${issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.map(String).join(" or ")}; nothing else is supported`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "too_small":
      return `must be at least ${issue.minimum}`;
    default:
      return "has a value that is not supported";
  }
};

// zod/mini has no built-in messages.
z.config({ localeError: describe });

export * from "zod/mini";
