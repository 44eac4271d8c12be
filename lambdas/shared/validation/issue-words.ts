import type * as z from "zod/mini";

/*
 * The words for the problems that zod finds. Each text is the end of a sentence that begins with "The <field> ". A schema's own
 * messages take precedence.
 */

type Issue = z.core.$ZodRawIssue;
type IssueOf<Code extends Issue["code"]> = Extract<Issue, { code: Code }>;

/** Describes any problem of a value. */
export const wordIssue = (issue: Issue): string => {
  if (isMissing(issue)) return "field is required.";
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "never"
        ? "must not be sent."
        : `must be ${nouns[issue.expected] ?? `a ${issue.expected}`}.`;
    case "invalid_value":
      return oneOf(issue.values);
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return tooBig(issue);
    case "invalid_format":
      return wrongFormat(issue);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}.`;
    case "unrecognized_keys":
      return "field is not known.";
    case "invalid_union":
      return noneOfUnion(issue);
    case "invalid_key":
      return "does not have a permitted name.";
    default:
      return "is not valid.";
  }
};

const isMissing = ({ code, input, discriminator }: Issue): boolean => {
  const value = code === "invalid_union" && typeof discriminator === "string" ? Object(input)[discriminator] : input;
  return value === undefined && code !== "custom";
};

const nouns: Readonly<Record<string, string>> = {
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const oneOf = (values: readonly unknown[]): string =>
  `must be ${values.length > 1 ? "one of " : ""}${values.map(String).join(", ")}.`;

type Bounds = Pick<IssueOf<"too_small" | "too_big">, "origin" | "inclusive" | "exact">;

const tooSmall = ({ minimum, ...bounds }: IssueOf<"too_small">): string =>
  sized(bounds, bounds.inclusive === false ? "more than" : "at least", minimum);

const tooBig = ({ maximum, ...bounds }: IssueOf<"too_big">): string =>
  sized(bounds, bounds.inclusive === false ? "less than" : "at most", maximum);

const sized = ({ origin, exact }: Bounds, relation: string, size: number | bigint): string => {
  const amount = exact ? size : `${relation} ${size}`;
  if (origin === "string") return `must be ${amount} ${size === 1 ? "character" : "characters"}.`;
  return origin === "array" ? `must have ${amount} ${size === 1 ? "item" : "items"}.` : `must be ${amount}.`;
};

const formats: Readonly<Record<string, string>> = {
  uuid: "a UUID",
  ulid: "a ULID",
  email: "an email address",
  url: "a URL",
  date: "a date, such as 2026-11-21",
  datetime: "a time, such as 2026-11-21T10:15:30.123Z",
  time: "a time of day, such as 10:15:30",
  duration: "a duration, such as PT1H",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  lowercase: "in lower case",
  uppercase: "in upper case",
};

const wrongFormat = (issue: IssueOf<"invalid_format">): string => {
  const { format, prefix, suffix, includes, pattern } = issue;
  if (format === "starts_with") return `must start with ${prefix}.`;
  if (format === "ends_with") return `must end with ${suffix}.`;
  if (format === "includes") return `must contain ${includes}.`;
  return format === "regex" ? `must match ${pattern}.` : `must be ${formats[format] ?? `a valid ${format}`}.`;
};

const noneOfUnion = ({ errors, options }: IssueOf<"invalid_union"> & { options?: unknown }): string => {
  if (Array.isArray(options)) return oneOf(options);
  const types = errors.map(([first]) =>
    first?.code === "invalid_type" && first.path.length === 0 ? first.expected : "",
  );
  if (types.length === 0 || types.includes("")) return "does not have one of its permitted forms.";
  return `must be ${types.map((type) => nouns[type] ?? `a ${type}`).join(" or ")}.`;
};
