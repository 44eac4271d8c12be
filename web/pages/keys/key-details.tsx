import Button from "@cloudscape-design/components/button";
import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import KeyValuePairs from "@cloudscape-design/components/key-value-pairs";
import SpaceBetween from "@cloudscape-design/components/space-between";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ListedKey } from "../../api/types.ts";
import { useApp } from "../../parts/app-context.ts";
import { BackLink } from "../../parts/back-link.tsx";
import { FailureAlert } from "../../parts/failure-alert.tsx";
import { ExactMoment } from "../../parts/moment.tsx";
import { addresses } from "../../parts/routes.ts";
import { visibleText } from "../../parts/visible-characters.ts";
import { VisibleText } from "../../parts/visible-text.tsx";
import { HiddenVCode } from "./hidden-v-code.tsx";
import { replacedAt } from "./key-columns.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { useKey } from "./key-queries.ts";
import type { OpenDialog } from "./open-dialog.ts";

/** One key, and the actions on it. */
export const KeyDetails = ({ keyId }: { keyId: string }) => {
  const { notify } = useApp();
  const [, navigate] = useLocation();
  const { data: key, error, refetch } = useKey(keyId);
  const [open, setOpen] = useState<OpenDialog>();

  const onDone = (message: string) => {
    if (open?.name === "delete") navigate(addresses.keys);
    setOpen(undefined);
    notify(message);
  };

  return (
    <SpaceBetween size="m">
      <BackLink href={addresses.keys}>All keys</BackLink>
      <DetailsHeader keyId={keyId} isLoaded={key !== undefined} onOpen={setOpen} />
      {error && (
        <FailureAlert title={`The key ${visibleText(keyId)} could not be loaded`} failure={error} onRetry={refetch} />
      )}
      {!key && !error && <StatusIndicator type="loading">Loading the key</StatusIndicator>}
      {key && <Facts listedKey={key} />}
      <KeyDialog open={open} onClose={() => setOpen(undefined)} onDone={onDone} />
    </SpaceBetween>
  );
};

interface DetailsHeaderProps {
  keyId: string;
  isLoaded: boolean;
  onOpen: (dialog: OpenDialog) => void;
}

const DetailsHeader = ({ keyId, isLoaded, onOpen }: DetailsHeaderProps) => (
  <Header
    variant="h1"
    actions={
      isLoaded && (
        <SpaceBetween direction="horizontal" size="xs">
          <Button onClick={() => onOpen({ name: "replace", keyId })}>Replace v_code</Button>
          <Button onClick={() => onOpen({ name: "delete", keyId })}>Delete</Button>
        </SpaceBetween>
      )
    }
  >
    <span className="breakable">
      <VisibleText text={keyId} />
    </span>
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
