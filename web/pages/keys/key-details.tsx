import Button from "@cloudscape-design/components/button";
import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import KeyValuePairs from "@cloudscape-design/components/key-value-pairs";
import SpaceBetween from "@cloudscape-design/components/space-between";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { useCallback, useState } from "react";
import type { ListedKey } from "../../api/key.ts";
import { BackLink } from "../../parts/back-link.tsx";
import { FailureAlert } from "../../parts/failure-alert.tsx";
import { ExactMoment } from "../../parts/moment.tsx";
import { useLoaded } from "../../parts/use-loaded.ts";
import { useApp } from "../../shell/app-context.ts";
import { addresses, navigate } from "../../shell/routing.ts";
import { HiddenVCode } from "./hidden-v-code.tsx";
import { replacedAt } from "./key-columns.tsx";
import { KeyDialog, type OpenDialog } from "./key-dialog.tsx";

/** One key, and what can be done with it. */
export const KeyDetails = ({ keyId }: { keyId: string }) => {
  const { api, notify } = useApp();
  const load = useCallback(async (): Promise<ListedKey> => {
    // The v_code is not kept: it is fetched again when somebody asks to see it.
    const { v_code: _, ...key } = await api.getKey(keyId);
    return key;
  }, [api, keyId]);
  const { value: key, failure, reload } = useLoaded(load);
  const [open, setOpen] = useState<OpenDialog>();

  const onDone = (what: string) => {
    if (open?.name === "delete") navigate(addresses.keys);
    else reload();
    setOpen(undefined);
    notify(what);
  };

  return (
    <SpaceBetween size="m">
      <BackLink href={addresses.keys}>All keys</BackLink>
      <DetailsHeader keyId={keyId} isThere={key !== undefined} onOpen={setOpen} />
      {failure && <FailureAlert title={`The key ${keyId} could not be loaded`} failure={failure} onRetry={reload} />}
      {!key && !failure && <StatusIndicator type="loading">Loading the key</StatusIndicator>}
      {key && <Facts listedKey={key} />}
      <KeyDialog open={open} onClose={() => setOpen(undefined)} onDone={onDone} />
    </SpaceBetween>
  );
};

interface DetailsHeaderProps {
  keyId: string;
  isThere: boolean;
  onOpen: (dialog: OpenDialog) => void;
}

const DetailsHeader = ({ keyId, isThere, onOpen }: DetailsHeaderProps) => (
  <Header
    variant="h1"
    actions={
      isThere && (
        <SpaceBetween direction="horizontal" size="xs">
          <Button onClick={() => onOpen({ name: "replace", keyId })}>Replace v_code</Button>
          <Button onClick={() => onOpen({ name: "delete", keyId })}>Delete</Button>
        </SpaceBetween>
      )
    }
  >
    <span className="breakable">{keyId}</span>
  </Header>
);

const Facts = ({ listedKey: { key_id, created_at, updated_at } }: { listedKey: ListedKey }) => (
  <Container>
    <KeyValuePairs
      columns={3}
      minColumnWidth={230}
      items={[
        { label: "v_code", value: <HiddenVCode key={updated_at} keyId={key_id} /> },
        { label: "Created", value: <ExactMoment time={created_at} /> },
        {
          label: "v_code replaced",
          value: <ExactMoment time={replacedAt({ key_id, created_at, updated_at })} otherwise="Never" />,
        },
      ]}
    />
  </Container>
);
