import { useState } from "react";
import { useLocation } from "wouter";
import { useApp } from "../../parts/app-context.ts";
import { addresses, useQueryParameter } from "../../parts/routes.ts";
import { KeyDetails } from "./key-details.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { KeyTable } from "./key-table.tsx";
import type { OpenDialog } from "./open-dialog.ts";

/** The keys of the API: page by page, or the one in the address. */
export const KeysPage = () => {
  const keyId = useQueryParameter("key");
  return (
    <>
      <title>API key management – Integration API</title>
      {keyId === undefined ? <AllKeys /> : <KeyDetails key={keyId} keyId={keyId} />}
    </>
  );
};

const AllKeys = () => {
  const { notify } = useApp();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<OpenDialog>();

  const onDone = (message: string) => {
    setOpen(undefined);
    notify(message);
  };
  return (
    <>
      <KeyTable onOpen={setOpen} onFind={(keyId) => navigate(addresses.key(keyId))} />
      <KeyDialog open={open} onClose={() => setOpen(undefined)} onDone={onDone} />
    </>
  );
};
