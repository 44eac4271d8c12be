import "./api-settings.css";
import { useState } from "react";
import { useSearch } from "wouter/use-browser-location";
import { isTrustId } from "../../../../lambdas/domain/tokens/trust-id.ts";
import { PageTitle } from "../../parts/page.tsx";
import { useQueryParameter } from "../../parts/routes.ts";
import { DecisionDialog } from "./confirmations/decision-dialog.tsx";
import { useRequests } from "./confirmations/outstanding.ts";
import { TokenDetails } from "./details/token-details.tsx";
import { EndOldDialog, LeakDialog, RevokeDialog } from "./dialogs/confirm-dialogs.tsx";
import { EditDialog } from "./dialogs/edit-dialog.tsx";
import { InviteDialog } from "./dialogs/invite-dialog.tsx";
import { IssueDialog, RotateDialog } from "./dialogs/issue-dialogs.tsx";
import { TokenTable } from "./list/token-table.tsx";
import { DialogContext, type OpenDialog } from "./token/open-dialog.ts";
import { TrustDetails } from "./trusts/trust-details.tsx";
import { EditTrustDialog, EndTrustDialog, TrustDialog } from "./trusts/trust-dialogs.tsx";

/** Shows all tokens and trusted workloads, or the one in the address. */
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
      {/* Hidden rather than unmounted, so that the table and its selection survive while one token is shown. */}
      <div hidden={tokenId !== undefined}>
        <TokenTable search={listSearch} isShown={tokenId === undefined} isCovered={open !== undefined} />
      </div>
      {tokenId !== undefined &&
        (isTrustId(tokenId) ? (
          <TrustDetails key={tokenId} trustId={tokenId} listSearch={listSearch} />
        ) : (
          <TokenDetails key={tokenId} tokenId={tokenId} listSearch={listSearch} />
        ))}
      {/* Rendered outside the pages above, because it may show a new token and must not disappear with them. */}
      <TokenDialog open={open} onClose={() => setOpen(undefined)} />
    </DialogContext>
  );
};

interface TokenDialogProps {
  open: OpenDialog | undefined;
  onClose: () => void;
}

const TokenDialog = ({ open, onClose }: TokenDialogProps) => {
  switch (open?.name) {
    case undefined:
      return null;
    case "issue":
      return <IssueDialog onClose={onClose} />;
    case "trust":
      return <TrustDialog onClose={onClose} />;
    case "edit trust":
      return <EditTrustDialog trust={open.trust} onClose={onClose} />;
    case "end trust":
    case "end trust tokens":
      return <EndTrustDialog name={open.name} trust={open.trust} onClose={onClose} />;
    case "invite":
      return <InviteDialog model={open.model} onClose={onClose} />;
    case "edit":
      return <EditDialog token={open.token} onClose={onClose} />;
    case "rotate":
      return <RotateDialog token={open.token} onClose={onClose} />;
    case "revoke":
    case "revoke and invite":
      return <RevokeDialog token={open.token} isReplaced={open.name !== "revoke"} onClose={onClose} />;
    case "end old":
      return <EndOldDialog token={open.token} onClose={onClose} />;
    case "confirm":
    case "reject":
      return <DecisionDialog decision={open.name} token={open.token} request={open.request} onClose={onClose} />;
    case "dismiss":
    case "restore":
      return <LeakDialog decision={open.name} token={open.token} ip={open.ip} onClose={onClose} />;
  }
};
