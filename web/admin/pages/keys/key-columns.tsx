import { Button, ButtonDropdown, type TableProps } from "@cloudscape-design/components";
import { replaceable } from "../../../../lambdas/domain/keys/key-fields.ts";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import type { ListedKey } from "../../api/types.ts";
import type { Breakpoint } from "../../parts/browser.ts";
import { dangerItem } from "../../parts/danger-button.tsx";
import { useDialogs } from "../../parts/dialog.tsx";
import { FieldValue } from "../../parts/field-value.tsx";
import { PageLink } from "../../parts/page.tsx";
import { Moment, OneLine } from "../../parts/values.tsx";
import { visibleText } from "../../parts/visible-characters.ts";
import { replacedTitle, shownFields } from "../../records/key-words.ts";
import { AddKeyDialog, type ChangeKeyDialogProps, DeleteKeyDialog, ReplaceKeyDialog } from "./key-dialogs.tsx";
import { HiddenVCode } from "./v-code-field.tsx";

export const AddButton = () => {
  const { open } = useDialogs();
  return (
    <Button variant="primary" onClick={() => open(<AddKeyDialog />)}>
      Add a key
    </Button>
  );
};

type Column = TableProps.ColumnDefinition<ListedKey>;

/** Returns the table's columns. Narrow windows leave out columns that the details page also shows. */
export const keyColumns = (breakpoint: Breakpoint): Column[] => {
  const actions: Column = {
    id: "actions",
    header: <span className={breakpoint === "phone" ? "screen-reader-only" : "not-printed"}>Actions</span>,
    width: breakpoint === "phone" ? 52 : 80,
    cell: (key) => <KeyActions listedKey={key} />,
  };
  const name: Column = {
    id: "key_id",
    header: "key_id",
    isRowHeader: true,
    minWidth: breakpoint === "phone" ? 120 : 160,
    cell: ({ key_id }) => (
      <PageLink href={addresses.key(key_id)}>
        <OneLine text={key_id} />
      </PageLink>
    ),
  };
  const columns = {
    phone: [name],
    tablet: [name, vCode, created],
    desktop: [name, vCode, ...shownColumns, created, replaced],
  };
  return [...columns[breakpoint], actions];
};

const KeyActions = (props: ChangeKeyDialogProps) => {
  const { open } = useDialogs();
  return (
    <ButtonDropdown
      variant="inline-icon"
      ariaLabel={`Actions on ${visibleText(props.listedKey.key_id)}`}
      expandToViewport
      renderItem={dangerItem("delete")}
      items={[
        { id: "replace", text: `Replace ${replaceable}` },
        { id: "delete", text: "Delete" },
      ]}
      onItemClick={({ detail: { id } }) =>
        open(id === "delete" ? <DeleteKeyDialog {...props} /> : <ReplaceKeyDialog {...props} />)
      }
    />
  );
};

const vCode: Column = {
  id: "v_code",
  header: "v_code",
  minWidth: 200,
  cell: ({ key_id, updated_at }) => <HiddenVCode key={updated_at} keyId={key_id} />,
};

const shownColumns = shownFields.map(
  ({ name, kind }): Column => ({
    id: name,
    header: name,
    minWidth: 120,
    cell: (key) => <FieldValue record={key} name={name} kind={kind} />,
  }),
);

const created: Column = {
  id: "created_at",
  header: "Created",
  cell: ({ created_at }) => <Moment time={created_at} />,
};

const replaced: Column = {
  id: "updated_at",
  header: replacedTitle,
  cell: (key) => <Moment time={replacedAt(key)} otherwise="Never" />,
};

/** Returns when the v_code was replaced, or null if it never was. In that case, both times are the same. */
export const replacedAt = ({ created_at, updated_at }: ListedKey): string | null =>
  updated_at === created_at ? null : updated_at;
