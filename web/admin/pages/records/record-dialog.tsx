import { Button, KeyValuePairs, SpaceBetween } from "@cloudscape-design/components";
import type { ActionResponse } from "../../api/types.ts";
import { Dialog, useDialogs } from "../../parts/dialog.tsx";
import { FieldValue, isNested, WholeValue } from "../../parts/field-value.tsx";
import { SmallTable } from "../../parts/list-table.tsx";
import { visibleText } from "../../parts/visible-characters.ts";

type Page = ActionResponse<"list_records">;

interface RecordDialogProps {
  title: string;
  record: Page["records"][number];
  columns: Page["columns"];
}

/** Shows all columns of one record, with lists and objects as rows. */
export const RecordDialog = ({ title, record, columns }: RecordDialogProps) => {
  const { close } = useDialogs();
  const names = Object.keys(columns);
  const nested = names.filter((name) => isNested(record[name]));
  const items = names
    .filter((name) => !nested.includes(name))
    .map((name) => ({
      label: name,
      value: <FieldValue record={record} name={name} kind={columns[name] ?? "any"} />,
    }));
  return (
    <Dialog
      title={visibleText(title)}
      size="large"
      onClose={close}
      actions={
        <Button variant="primary" onClick={close}>
          Close
        </Button>
      }
    >
      <SpaceBetween size="l">
        <KeyValuePairs columns={3} minColumnWidth={180} items={items} />
        {nested.map((name) => (
          <SmallTable key={name} title={name} {...rowsOf(record[name])} />
        ))}
      </SpaceBetween>
    </Dialog>
  );
};

interface Row {
  id: string;
  values: Readonly<Record<string, unknown>>;
}

/** Returns the rows of a list, or of the fields of an object. Their columns are the fields that any of them has. */
const rowsOf = (value: unknown) => {
  const isList = Array.isArray(value);
  const items = Object.entries(Object(value)).map(([id, part]): Row => {
    const values = isList && isNested(part) && !Array.isArray(part) ? { ...part } : { value: part };
    return { id, values: isList ? values : { name: id, ...values } };
  });
  const names = [...new Set(items.flatMap(({ values }) => Object.keys(values)))];
  const columns = names.map((name, place) => ({
    id: name,
    header: name,
    isRowHeader: place === 0,
    cell: ({ values }: Row) => <WholeValue value={values[name]} />,
  }));
  return { items, columns, trackBy: "id" };
};
