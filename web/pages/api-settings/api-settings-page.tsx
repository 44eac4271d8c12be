import "./api-settings.css";
import { useState } from "react";
import { useSearch } from "wouter/use-browser-location";
import { isTrustId } from "../../../lambdas/resources/tokens/trust-id.ts";
import { PageTitle } from "../../parts/page-title.tsx";
import { useQueryParameter } from "../../parts/routes.ts";
import { useRequests } from "./confirmations/outstanding.ts";
import { TokenDetails } from "./details/token-details.tsx";
import { TokenDialog } from "./dialogs/token-dialog.tsx";
import { TokenTable } from "./list/token-table.tsx";
import { DialogContext, type OpenDialog } from "./token/open-dialog.ts";
import { TrustDetails } from "./trusts/trust-details.tsx";

/** The tokens and the trusted workloads: all of them, or the one in the address. */
export const ApiSettingsPage = () => {
  const tokenId = useQueryParameter("token");
  const search = useSearch();
  const [listSearch, setListSearch] = useState(tokenId === undefined ? search : "");
  const [open, setOpen] = useState<OpenDialog>();
  useRequests();
  if (tokenId === undefined && search !== listSearch) setListSearch(search);

  return (
    <DialogContext value={setOpen}>
      {tokenId === undefined && <PageTitle parts={["API settings"]} />}
      {/* The table stays as it was, with what is selected, while one token is shown. */}
      <div hidden={tokenId !== undefined}>
        <TokenTable search={listSearch} isShown={tokenId === undefined} isCovered={open !== undefined} />
      </div>
      {tokenId !== undefined &&
        (isTrustId(tokenId) ? (
          <TrustDetails key={tokenId} trustId={tokenId} listSearch={listSearch} />
        ) : (
          <TokenDetails key={tokenId} tokenId={tokenId} listSearch={listSearch} />
        ))}
      {/* Whatever becomes of what is shown, the dialog may show a new token. */}
      <TokenDialog open={open} onClose={() => setOpen(undefined)} />
    </DialogContext>
  );
};
