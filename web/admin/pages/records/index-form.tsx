import { Button } from "@cloudscape-design/components";
import { useState } from "react";
import { useLocation } from "wouter";
import { indexValue } from "../../../../lambdas/admin/records/records-contract.ts";
import type { ActionResponse } from "../../api/types.ts";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { useFocusAfterwards } from "../../parts/focus.ts";
import { enteredFrom, problemsOf, valuesFrom } from "../../parts/schema-fields.tsx";
import { parsedJson } from "../../session/session.ts";

export type Index = ActionResponse<"list_records">["indexes"][number];

/** The records that a page of the list shows: those that an index finds. */
export interface Found {
  index: string;
  /** The values of the index's fields, as JSON. */
  where: string;
  order: Order;
}

type Order = "ascending" | "descending";

interface IndexFormProps {
  index: Index;
  /** What the page shows now. */
  found: Found | undefined;
  /** Returns the address of the records that the form finds. */
  addressOf: (found: Found) => string;
}

/** Finds records by the fields of an index. */
export const IndexForm = ({ index: { name, partition, sort, sort_kind }, found, addressOf }: IndexFormProps) => {
  const [, navigate] = useLocation();
  const shape = Object.fromEntries(partition.map(({ name, ...field }) => [name, indexValue(field)]));
  // Somebody may have edited the values in the address.
  const [entered, setEntered] = useState(() => enteredFrom(shape, Object(parsedJson(found?.where ?? ""))));
  const [order, setOrder] = useState<Order>(found?.order ?? "descending");
  const [isSubmitted, setSubmitted] = useState(false);
  const problems = problemsOf(shape, entered);
  // The new list has its own form, which replaces this one.
  useFocusAfterwards();

  const search = (event: React.FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (Object.values(problems).some((problem) => problem !== "")) return;
    navigate(addressOf({ index: name, where: JSON.stringify(valuesFrom(shape, entered)), order }));
  };
  return (
    <form className="index-form" onSubmit={search} noValidate>
      {partition.map(({ name, kind, options }) => {
        const field = {
          label: name,
          value: entered[name] ?? "",
          error: (isSubmitted && problems[name]) || "",
          onChange: (value: string) => setEntered({ ...entered, [name]: value }),
        };
        return options ? (
          <SelectField key={name} {...field} options={options.map((value) => ({ value }))} />
        ) : (
          <TextField key={name} {...field} inputMode={kind === "number" ? "decimal" : "text"} />
        );
      })}
      <SelectField
        label={`Order by ${sort}`}
        value={order}
        error=""
        options={Object.entries(orderNames[sort_kind] ?? orderNames.text).map(([value, label]) => ({ value, label }))}
        onChange={(value) => setOrder(value === "ascending" ? value : "descending")}
      />
      <Button>Search</Button>
    </form>
  );
};

const times = { descending: "Newest first", ascending: "Oldest first" };
const numbers = { descending: "Highest first", ascending: "Lowest first" };
const orderNames: Readonly<Record<string, Record<Order, string>>> & { text: Record<Order, string> } = {
  time: times,
  date: times,
  number: numbers,
  decimal: numbers,
  text: { descending: "Z to A", ascending: "A to Z" },
};
