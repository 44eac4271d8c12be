import { Box, Button, CopyToClipboard, KeyValuePairs, SpaceBetween } from "@cloudscape-design/components";
import type { ActionResponse } from "../../api/types.ts";
import { Dialog, useDialogs } from "../../parts/dialog.tsx";
import { FieldValue, isNested, WholeValue } from "../../parts/field-value.tsx";
import { SmallTable } from "../../parts/list-table.tsx";
import { VisibleText } from "../../parts/values.tsx";
import { visibleText } from "../../parts/visible-characters.ts";

type Page = ActionResponse<"list_records">;

interface RecordDialogProps {
  title: string;
  record: Page["records"][number];
  page: Page;
}

/** Shows all columns of one record, with objects as groups and lists as tables. */
export const RecordDialog = ({ title, record, page: { id_column, columns } }: RecordDialogProps) => {
  const { close } = useDialogs();
  const names = Object.keys(columns);
  const nested = names.filter((name) => isNested(record[name]));
  const items = names
    .filter((name) => !nested.includes(name))
    .map((name) => ({
      label: name,
      value:
        name === id_column ? (
          <Id text={String(record[name])} />
        ) : (
          <FieldValue record={record} name={name} kind={columns[name] ?? "any"} />
        ),
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
        <Group items={items} />
        {nested.map((name) => {
          const value = record[name];
          if (Array.isArray(value)) return <SmallTable key={name} title={name} {...rowsOf(value)} />;
          const parts = Object.entries(Object(value)).map(([label, part]) => ({
            label,
            value: <WholeValue value={part} />,
          }));
          return (
            <div key={name}>
              <Box variant="h3" padding={{ bottom: "xs" }}>
                {name}
              </Box>
              <Group items={parts} />
            </div>
          );
        })}
      </SpaceBetween>
    </Dialog>
  );
};

const Group = ({ items }: { items: { label: string; value: React.ReactNode }[] }) => (
  <KeyValuePairs columns={3} minColumnWidth={180} items={items} />
);

const Id = ({ text }: { text: string }) => (
  <CopyToClipboard
    variant="inline"
    copyButtonAriaLabel={`Copy ${visibleText(text)}`}
    copySuccessText="Copied"
    copyErrorText="The browser did not allow copying: select the text and copy it by hand."
    textToCopy={text}
    textToDisplay={<VisibleText text={text} />}
  />
);

interface Row {
  id: string;
  values: Readonly<Record<string, unknown>>;
}

/** Returns the rows of a list. Their columns are the fields that any of them has. */
const rowsOf = (list: readonly unknown[]) => {
  const items = list.map((part, place): Row => {
    const isObject = isNested(part) && !Array.isArray(part);
    return { id: String(place), values: isObject ? { ...part } : { value: part } };
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
