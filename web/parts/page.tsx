import { Icon, Link } from "@cloudscape-design/components";
import type { ReactNode } from "react";
import { useLocation } from "wouter";

interface PageLinkProps {
  href: string;
  children: ReactNode;
}

/** A link to another page of the interface, which opens without loading the document again. */
export const PageLink = ({ href, children }: PageLinkProps) => {
  const [, navigate] = useLocation();
  return (
    <Link
      href={href}
      onFollow={(event) => {
        event.preventDefault();
        navigate(href);
      }}
    >
      {children}
    </Link>
  );
};

/** A link from one item back to the list of all. */
export const BackLink = ({ href, children }: { href: string; children: string }) => (
  <div className="back-link row">
    <Icon name="angle-left" />
    <PageLink href={href}>{children}</PageLink>
  </div>
);

/** The title of the service, which the document has until a page gives it its own: see infra/build/site/web-interface.ts. */
export const serviceTitle = document.title;

/** The title of a page: its parts, the most specific one first, and that of the service. */
export const PageTitle = ({ parts }: { parts: readonly string[] }) => (
  <title>{[...parts, serviceTitle].join(" – ")}</title>
);
