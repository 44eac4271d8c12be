import Icon from "@cloudscape-design/components/icon";
import { PageLink } from "./page-link.tsx";

/** The way back from one thing to all of them. */
export const BackLink = ({ href, children }: { href: string; children: string }) => (
  <div className="back">
    <Icon name="angle-left" />
    <PageLink href={href}>{children}</PageLink>
  </div>
);
