import { Select } from "@cloudscape-design/components";
import { PageLink } from "../../../parts/page.tsx";
import { addressOfClient } from "./list-view.ts";
import type { ShownTokens } from "./use-shown-tokens.ts";

/** Filters by client, if any token has one. */
export const ClientFilter = ({ tokens: { clients, view, change } }: { tokens: ShownTokens }) => {
  if (clients.length === 0 && view.client === undefined) return null;
  const every = { value: "", label: "All clients" };
  const options = clients.map((client) => ({ value: client, label: client }));
  const selected = view.client === undefined ? every : { value: view.client, label: view.client };
  return (
    <Select
      ariaLabel="Client"
      options={[every, ...options]}
      filteringType={options.length > 10 ? "auto" : "none"}
      virtualScroll={options.length > 100}
      selectedOption={selected}
      onChange={({ detail }) => change({ client: detail.selectedOption.value || undefined })}
    />
  );
};

/** Says whom a token or trust belongs to, with a link to the client's tokens; nothing if it has no client. */
export const clientFact = ({ client }: { client: string | null }) =>
  client === null ? [] : [{ label: "Client", value: <PageLink href={addressOfClient(client)}>{client}</PageLink> }];
