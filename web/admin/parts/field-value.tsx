import type { FieldKind } from "../../../lambdas/shared/validation/field-facts.ts";
import { ExactMoment, VisibleText } from "./values.tsx";

interface FieldValueProps {
  record: Readonly<Record<string, unknown>>;
  name: string;
  kind: FieldKind;
}

/** Shows the value of a record's field. A dash stands for a value that is missing or null. */
export const FieldValue = ({ record, name, kind }: FieldValueProps) => {
  const value = record[name];
  if (typeof value === "string" && kind === "time") return <ExactMoment time={value} />;
  return <VisibleText text={summaryOf(value)} />;
};

/** Describes a value in a few words. Lists of records are only counted. */
export const summaryOf = (value: unknown): string => {
  if (value === undefined || value === null) return "–";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value !== "object") return String(value);
  const parts = Object.values(value);
  if (Array.isArray(value) && parts.some((part) => typeof part === "object" && part !== null)) {
    return parts.length === 1 ? "1 entry" : `${parts.length} entries`;
  }
  return parts.length === 0 ? "–" : parts.map(summaryOf).join(", ");
};
