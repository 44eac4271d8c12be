import "./api-settings.css";
import { useState } from "react";
import { useSearch } from "wouter/use-browser-location";
import { isTrustId } from "../../../../lambdas/domain/tokens/trust-id.ts";
import { PageTitle } from "../../parts/page.tsx";
import { useQueryParameter } from "../../parts/routes.ts";
import { TokenDetails } from "./details/token-details.tsx";
import { TokenTable } from "./list/token-table.tsx";
import { TrustDetails } from "./trusts/trust-details.tsx";

/** Shows all tokens and trusted workloads, or only the one in the address. */
export const ApiSettingsPage = () => {
  const id = useQueryParameter("token");
  const search = useSearch();
  const [listSearch, setListSearch] = useState(id === undefined ? search : "");
  if (id === undefined && search !== listSearch) setListSearch(search);
  const Details = id !== undefined && isTrustId(id) ? TrustDetails : TokenDetails;

  return (
    <>
      {id === undefined && <PageTitle parts={["API settings"]} />}
      {/* Hidden rather than unmounted, so that the table and its selection survive while one token is shown. */}
      <div hidden={id !== undefined}>
        <TokenTable search={listSearch} isShown={id === undefined} />
      </div>
      {id !== undefined && <Details key={id} id={id} listSearch={listSearch} />}
    </>
  );
};
