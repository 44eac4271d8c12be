import { useState } from "react";
import { useAddress } from "../../shell/routing.ts";
import { TokenDetails } from "./token-details.tsx";
import { type OpenDialog, TokenDialog } from "./token-dialog.tsx";
import { TokenTable } from "./token-table.tsx";
import { useLeaks } from "./usage/use-leaks.ts";
import { useTokenList } from "./use-token-list.ts";

/** The tokens: all of them, or the one that the address names. */
export const ApiSettingsPage = () => {
  const list = useTokenList();
  const leaks = useLeaks();
  const tokenId = useAddress().searchParams.get("token");
  const [open, setOpen] = useState<OpenDialog>();

  return (
    <>
      <title>API settings – Integration API</title>
      {/* Stays as it was, with what was searched for, while one token is looked at. */}
      <div hidden={tokenId !== null}>
        <TokenTable list={list} leaks={leaks} onOpen={setOpen} />
      </div>
      {tokenId === null ? (
        <TokenDialog open={open} onClose={() => setOpen(undefined)} onChange={list.put} onDoubt={list.reload} />
      ) : (
        <TokenDetails key={tokenId} tokenId={tokenId} list={list} />
      )}
    </>
  );
};
