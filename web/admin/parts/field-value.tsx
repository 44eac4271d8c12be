import type { FieldKind } from "../../../lambdas/shared/validation/field-facts.ts";
import { isTime } from "../../../lambdas/shared/validation/fields.ts";
import { ExactMoment, LocalTime, VisibleText } from "./values.tsx";

interface FieldValueProps {
  record: Readonly<Record<string, unknown>>;
  name: string;
  kind: FieldKind;
}

/** Shows the value of a record's field. A dash stands for a value that is missing or null. */
export const FieldValue = ({ record, name, kind }: FieldValueProps) => {
  const value = record[name];
  if (typeof value === "string" && kind === "time") return <LocalTime time={value} />;
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

export const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Shows a value with everything in it. Times look as they do in the table. */
export const WholeValue = ({ value }: { value: unknown }) => {
  if (typeof value === "string" && isTime(value)) return <ExactMoment time={value} />;
  if (!isNested(value)) return <VisibleText text={summaryOf(value)} />;
  return (
    <ul>
      {Object.entries(value).map(([name, part]) => (
        <li key={name}>
          {!Array.isArray(value) && (
            <>
              <VisibleText text={name} />:{" "}
            </>
          )}
          <WholeValue value={part} />
        </li>
      ))}
    </ul>
  );
};
