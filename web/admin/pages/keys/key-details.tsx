import { Alert, Button, Header, SpaceBetween } from "@cloudscape-design/components";
import { replaceable } from "../../../../lambdas/domain/keys/key-fields.ts";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import type { ListedKey } from "../../api/types.ts";
import { TimeAndAuthor } from "../../changes/change-sentence.tsx";
import { RecordHistory, useRecordChanges } from "../../changes/record-history.tsx";
import { DangerButton } from "../../parts/danger-button.tsx";
import { useDialogs } from "../../parts/dialog.tsx";
import { LoadStatus } from "../../parts/failures.tsx";
import { FieldValue } from "../../parts/field-value.tsx";
import { BackLink, Facts, PageLink } from "../../parts/page.tsx";
import { VisibleText } from "../../parts/values.tsx";
import { useKey } from "../../records/key-queries.ts";
import { replacedTitle, shownFields } from "../../records/key-words.ts";
import { replacedAt } from "./key-columns.tsx";
import { DeleteKeyDialog, ReplaceKeyDialog } from "./key-dialogs.tsx";
import { HiddenVCode } from "./v-code-field.tsx";

interface KeyDetailsProps {
  keyId: string;
  /** The list that the user came from: all keys, or search results. */
  listAddress: string;
}

/** Shows one key, and the actions on it. */
export const KeyDetails = ({ keyId, listAddress }: KeyDetailsProps) => {
  const query = useKey(keyId);
  const { open } = useDialogs();
  const isMissing = query.error?.status === 404;
  const key = isMissing ? undefined : query.data;

  return (
    <SpaceBetween size="m">
      <BackLink href={listAddress}>
        {new URLSearchParams(listAddress.split("?")[1]).has("prefix") ? "Search results" : "All keys"}
      </BackLink>
      <Header
        variant="h1"
        actions={
          key && (
            <SpaceBetween direction="horizontal" size="xs">
              <Button onClick={() => open(<ReplaceKeyDialog listedKey={key} />)}>Replace {replaceable}</Button>
              <DangerButton variant="normal" onClick={() => open(<DeleteKeyDialog listedKey={key} />)}>
                Delete
              </DangerButton>
            </SpaceBetween>
          )
        }
      >
        <span className="breakable">
          <VisibleText text={keyId} />
        </span>
      </Header>
      {isMissing ? <MissingKey keyId={keyId} /> : <LoadStatus subject="key" query={query} />}
      {key && <KeyFacts listedKey={key} />}
      {key && <RecordHistory record={{ key_id: keyId }} />}
    </SpaceBetween>
  );
};

/** Says that there is no such key. The history of a deleted key is kept for a while. */
const MissingKey = ({ keyId }: { keyId: string }) => {
  const { data } = useRecordChanges({ key_id: keyId });
  const isDeleted = data?.changes.find(({ kind }) => kind !== "revealed")?.kind === "deleted";
  return (
    <SpaceBetween size="m">
      <Alert type="info" header={isDeleted ? "This key was deleted" : "There is no key with this key_id"}>
        {isDeleted
          ? "Its history is kept for 90 days."
          : "It may have been deleted long ago, or the key_id may be misspelled: upper and lower case differ."}{" "}
        <PageLink href={addresses.keysWith({ prefix: keyId })}>Search for keys that begin with this</PageLink>
      </Alert>
      {isDeleted && <RecordHistory record={{ key_id: keyId }} />}
    </SpaceBetween>
  );
};

const KeyFacts = ({ listedKey }: { listedKey: ListedKey }) => {
  const { key_id, created_at, created_by, updated_at, updated_by } = listedKey;
  const replaced = replacedAt(listedKey);
  return (
    <Facts
      items={[
        { label: "v_code", value: <HiddenVCode key={updated_at} keyId={key_id} /> },
        ...shownFields.map((field) => ({ label: field.name, value: <FieldValue record={listedKey} {...field} /> })),
        { label: "Created", value: <TimeAndAuthor time={created_at} by={created_by} /> },
        {
          label: replacedTitle,
          value: replaced === null ? "Never" : <TimeAndAuthor time={replaced} by={updated_by} />,
        },
      ]}
    />
  );
};
