import { useState } from "react";
import { useApp } from "../../shell/app-context.ts";
import { addresses, navigate, useAddress } from "../../shell/routing.ts";
import { KeyDetails } from "./key-details.tsx";
import { KeyDialog, type OpenDialog } from "./key-dialog.tsx";
import { KeyTable } from "./key-table.tsx";
import { useKeyPage } from "./use-key-page.ts";

/** The keys of the API: page by page, or the one that the address names. */
export const KeysPage = () => {
  const keyId = useAddress().searchParams.get("key");
  return (
    <>
      <title>API key management – Integration API</title>
      {keyId === null ? <AllKeys /> : <KeyDetails key={keyId} keyId={keyId} />}
    </>
  );
};

const AllKeys = () => {
  const { notify } = useApp();
  const page = useKeyPage();
  const [open, setOpen] = useState<OpenDialog>();

  const onDone = (what: string) => {
    setOpen(undefined);
    notify(what);
    page.reload();
  };
  return (
    <>
      <KeyTable page={page} onOpen={setOpen} onFind={(keyId) => navigate(addresses.key(keyId))} />
      <KeyDialog open={open} onClose={() => setOpen(undefined)} onDone={onDone} />
    </>
  );
};
