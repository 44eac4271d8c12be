import Icon from "@cloudscape-design/components/icon";
import { PageLink } from "./page-link.tsx";

/** A link from one item back to the list of all. */
export const BackLink = ({ href, children }: { href: string; children: string }) => (
  <div className="back-link">
    <Icon name="angle-left" />
    <PageLink href={href}>{children}</PageLink>
  </div>
);
