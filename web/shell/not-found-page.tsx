import Alert from "@cloudscape-design/components/alert";
import Header from "@cloudscape-design/components/header";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { addresses } from "../../lambdas/addresses.ts";
import { PageLink } from "../parts/page-link.tsx";

/** For an address that no page has. */
export const NotFoundPage = () => (
  <SpaceBetween size="l">
    <title>Page not found – Integration API</title>
    <Header variant="h1">Page not found</Header>
    <Alert type="info">
      There is no page at this address. Go to the <PageLink href={addresses.tokens}>API settings</PageLink> or to the{" "}
      <PageLink href={addresses.keys}>API key management</PageLink>.
    </Alert>
  </SpaceBetween>
);
