import ButtonDropdown from "@cloudscape-design/components/button-dropdown";
import type { TableProps } from "@cloudscape-design/components/table";
import { addresses } from "../../../lambdas/addresses.ts";
import type { ListedKey } from "../../api/types.ts";
import { Moment } from "../../parts/moment.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import type { Breakpoint } from "../../parts/use-breakpoint.ts";
import { visibleText } from "../../parts/visible-characters.ts";
import { VisibleText } from "../../parts/visible-text.tsx";
import { HiddenVCode } from "./hidden-v-code.tsx";
import type { OpenDialog } from "./open-dialog.ts";
import { markOf, type RecentKeys } from "./recent-keys.ts";

interface KeyColumnsOptions {
  /** Narrow windows leave out what the details show as well. */
  breakpoint: Breakpoint;
  recent: RecentKeys;
  onOpen: (dialog: OpenDialog) => void;
}

export const keyColumns = ({
  breakpoint,
  recent,
  onOpen,
}: KeyColumnsOptions): TableProps.ColumnDefinition<ListedKey>[] => {
  const actions: TableProps.ColumnDefinition<ListedKey> = {
    id: "actions",
    header: <span className="not-printed">Actions</span>,
    width: 80,
    cell: ({ key_id }) => (
      <ButtonDropdown
        variant="inline-icon"
        ariaLabel={`Actions on ${visibleText(key_id)}`}
        expandToViewport
        items={[
          { id: "replace", text: "Replace v_code" },
          { id: "delete", text: "Delete" },
        ]}
        onItemClick={({ detail }) => onOpen({ name: detail.id === "delete" ? "delete" : "replace", keyId: key_id })}
      />
    ),
  };
  const name: TableProps.ColumnDefinition<ListedKey> = {
    id: "key_id",
    header: "key_id",
    isRowHeader: true,
    minWidth: 160,
    cell: (key) => (
      <>
        <span className="breakable">
          <PageLink href={addresses.key(key.key_id)}>
            <VisibleText text={key.key_id} />
          </PageLink>
        </span>
        <Mark text={markOf(key, recent)} />
      </>
    ),
  };
  const columns = { phone: [name], tablet: [name, vCode, created], desktop: [name, vCode, created, replaced] };
  return [...columns[breakpoint], actions];
};

const Mark = ({ text }: { text: string | undefined }) => text && <span className="changed-mark">{text}</span>;

const vCode: TableProps.ColumnDefinition<ListedKey> = {
  id: "v_code",
  header: "v_code",
  minWidth: 200,
  cell: ({ key_id, updated_at }) => <HiddenVCode key={updated_at} keyId={key_id} />,
};

const created: TableProps.ColumnDefinition<ListedKey> = {
  id: "created_at",
  header: "Created",
  cell: ({ created_at }) => <Moment time={created_at} />,
};

const replaced: TableProps.ColumnDefinition<ListedKey> = {
  id: "updated_at",
  header: "v_code replaced",
  cell: (key) => <Moment time={replacedAt(key)} otherwise="Never" />,
};

/** When the v_code was replaced; null if it never was, in which case both times are the same. */
export const replacedAt = ({ created_at, updated_at }: ListedKey): string | null =>
  updated_at === created_at ? null : updated_at;
