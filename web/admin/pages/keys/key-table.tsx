import { Button, ButtonDropdown, type TableProps } from "@cloudscape-design/components";
import { type ReactNode, useMemo } from "react";
import { keyIdLength, replaceable } from "../../../../lambdas/domain/keys/key-fields.ts";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import type { ListedKey } from "../../api/types.ts";
import { type Breakpoint, useBreakpoint } from "../../parts/browser.ts";
import { dangerItem } from "../../parts/danger-button.tsx";
import { useDialogs } from "../../parts/dialog.tsx";
import { FieldValue } from "../../parts/field-value.tsx";
import { ListTable, type ListTableProps } from "../../parts/list-table.tsx";
import { PageLink } from "../../parts/page.tsx";
import { PrefixForm } from "../../parts/prefix-form.tsx";
import { Moment, OneLine } from "../../parts/values.tsx";
import { visibleText } from "../../parts/visible-characters.ts";
import { replacedTitle, shownFields } from "../../records/key-words.ts";
import {
  AddKeyDialog,
  type ChangeKeyDialogProps,
  DeleteKeyDialog,
  type KeyChange,
  ReplaceKeyDialog,
} from "./key-dialogs.tsx";
import { HiddenVCode } from "./v-code-field.tsx";

export interface KeyListProps {
  /** Recently changed keys. They are marked, and new ones are at the top. */
  recent: RecentKeys;
  /** Called after a key was changed. */
  onDone: (change: KeyChange) => void;
}

type PassedOn = "description" | "query" | "loading" | "loadingText" | "empty" | "pagination";

interface KeyTableProps extends KeyListProps, Pick<ListTableProps<ListedKey>, PassedOn> {
  keys: ListedKey[];
  prefix?: string;
  /** The search's progress. */
  progress?: ReactNode;
}

/** A table of keys, with actions on each. */
export const KeyTable = ({ keys, recent, prefix, progress, onDone, ...table }: KeyTableProps) => {
  const breakpoint = useBreakpoint();
  const columns = useMemo(() => keyColumns(breakpoint, { recent, onDone }), [breakpoint, recent, onDone]);
  const items = withRecent(keys, recent);
  return (
    <ListTable
      {...table}
      title="API key management"
      description={prefix === undefined && "In no particular order. Search by the beginning of a key_id."}
      ariaLabels={{ tableLabel: "Keys" }}
      subject="keys"
      actions={<AddButton onDone={onDone} />}
      items={items}
      columnDefinitions={columns}
      trackBy="key_id"
      loading={(table.loading ?? table.query?.isPending ?? false) && items.length === 0}
      filter={
        <PrefixForm
          key={prefix}
          prefix={prefix}
          name="key_id"
          maxLength={keyIdLength.max}
          subject="keys"
          addressOf={(text) => (text === undefined ? addresses.keys : addresses.keysWithPrefix(text))}
        >
          {progress}
        </PrefixForm>
      }
    />
  );
};

export const AddButton = ({ onDone }: Pick<KeyListProps, "onDone">) => {
  const { open } = useDialogs();
  return (
    <Button variant="primary" onClick={() => open(<AddKeyDialog onDone={onDone} />)}>
      Add a key
    </Button>
  );
};

type Column = TableProps.ColumnDefinition<ListedKey>;

/** Returns the table's columns. Narrow windows leave out columns that the details page also shows. */
const keyColumns = (breakpoint: Breakpoint, { recent, onDone }: KeyListProps): Column[] => {
  const actions: Column = {
    id: "actions",
    header: <span className={breakpoint === "phone" ? "screen-reader-only" : "not-printed"}>Actions</span>,
    width: breakpoint === "phone" ? 52 : 80,
    cell: (key) => <KeyActions listedKey={key} onDone={onDone} />,
  };
  const name: Column = {
    id: "key_id",
    header: "key_id",
    isRowHeader: true,
    minWidth: breakpoint === "phone" ? 120 : 160,
    cell: (key) => (
      <>
        <PageLink href={addresses.key(key.key_id)}>
          <OneLine text={key.key_id} />
        </PageLink>
        {markOf(key, recent)}
      </>
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

/** The user's latest changes to the keys of a list. */
interface RecentKeys {
  /** The added keys, most recent first. The list shows them at the top, whatever their place in its order. */
  added: readonly ListedKey[];
  /** The key whose v_code was replaced last. */
  replacedId?: string;
}

export const noRecentKeys: RecentKeys = { added: [] };

export const withChange = ({ added, ...recent }: RecentKeys, { name, key }: KeyChange): RecentKeys => {
  const { key_id } = key;
  const others = added.filter((one) => one.key_id !== key_id);
  if (name === "added") return { ...recent, added: [key, ...others] };
  if (name === "deleted") return { ...recent, added: others };
  return { added: added.map((one) => (one.key_id === key_id ? key : one)), replacedId: key_id };
};

/** Moves the added keys to the top of a list. */
const withRecent = (keys: readonly ListedKey[], { added }: RecentKeys): ListedKey[] => {
  const addedIds = new Set(added.map(({ key_id }) => key_id));
  return [...added, ...keys.filter(({ key_id }) => !addedIds.has(key_id))];
};

/** Marks a key that was just changed. */
const markOf = ({ key_id }: ListedKey, { added, replacedId }: RecentKeys) => {
  const isReplaced = key_id === replacedId;
  if (!isReplaced && added.every((key) => key.key_id !== key_id)) return null;
  return <span className="changed-mark">Just {isReplaced ? "replaced" : "added"}</span>;
};

/** Returns the message about a change. */
export const messageOf = ({ name, key: { key_id } }: KeyChange) => (
  <>
    The {name === "replaced" ? `${replaceable} of` : "key"} <bdi>{visibleText(key_id)}</bdi> was {name}.
  </>
);
