import { codePoints } from "../shared/validation/characters.ts";

/** How a field of a record is stored. */
export interface Format<Value extends string | number = string | number> {
  kind: "text" | "time" | "number";
  /** Describes the values that the field holds, as the end of a sentence. */
  description: string;
  /** Whether a record may lack the field. */
  optional: boolean;
  /** Returns the value of a stored string or number; `undefined` if this code cannot have written it. */
  read(stored: string): Value | undefined;
}

export type RequiredFormat<Value extends string | number> = Format<Value> & { optional: false };
export type OptionalFormat<Value extends string | number> = Format<Value> & { optional: true };

/** Makes a field optional. If the field is present, it must have the format. */
export const optional = <Value extends string | number>(format: Format<Value>): OptionalFormat<Value> => ({
  ...format,
  optional: true,
});

interface TextOptions {
  description?: string;
  isValid?: (value: string) => boolean;
}

/** A string of well-formed Unicode for which `isValid` returns true. */
export const text = ({ description = "a text", isValid = () => true }: TextOptions = {}): RequiredFormat<string> => ({
  kind: "text",
  description,
  optional: false,
  read: (stored) => (stored.isWellFormed() && isValid(stored) ? stored : undefined),
});

/** A string of `min` to `max` Unicode code points. */
export const textOfLength = ({ min, max }: { min: number; max: number }): RequiredFormat<string> =>
  text({
    description: min === max ? `a text of ${min} characters` : `a text of ${min} to ${max} characters`,
    isValid: (value) => {
      const length = codePoints(value);
      return length >= min && length <= max;
    },
  });

/** A string that is one of the given values. */
export const oneOf = <const Value extends string>(values: readonly Value[]): RequiredFormat<Value> => ({
  kind: "text",
  description: `one of ${values.join(", ")}`,
  optional: false,
  read: (stored) => values.find((value) => value === stored),
});

/** Matches times on the days that every month has. */
const timeOnUsualDay = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const fourDigitYear = /^\d/;

/** RFC 3339 in UTC with milliseconds, so that times can be compared as strings. */
export const time: RequiredFormat<string> = {
  kind: "time",
  description: "a time such as 2026-11-21T10:15:30.123Z",
  optional: false,
  read: (stored) =>
    timeOnUsualDay.test(stored) || (fourDigitYear.test(stored) && isDate(stored)) ? stored : undefined,
};

const isDate = (text: string): boolean => {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text;
};

/** A whole number from `min` to `max`. */
export const wholeNumber = ({ min, max }: { min: number; max: number }): RequiredFormat<number> => ({
  kind: "number",
  description: `a whole number from ${min} to ${max}`,
  optional: false,
  read: (stored) => {
    const value = Number(stored);
    return String(value) === stored && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
  },
});

/* Returns a time in the form that records store: RFC 3339 in UTC with milliseconds. Times in this form can be sorted as strings. */

export const toTime = (unixMilliseconds: number): string => new Date(unixMilliseconds).toISOString();

/**
 * Returns `time`, or one millisecond after the previous time if that is later. The times of an item's changes only move forward.
 */
export const movedForward = (time: string, previous: string): string => {
  const next = toTime(Date.parse(previous) + 1);
  return time > next ? time : next;
};

/** Returns the Unix time in seconds after which DynamoDB may delete an item. */
export const deletableAfter = (time: string, keptSeconds: number): number =>
  Math.floor(Date.parse(time) / 1000) + keptSeconds;
