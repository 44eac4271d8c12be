import { Container, Header, type HeaderProps, Icon, Link } from "@cloudscape-design/components";
import type { ReactNode } from "react";
import { useLocation } from "wouter";

/** Links to another page of the interface without reloading the document. */
export const PageLink = ({ href, children }: { href: string; children: ReactNode }) => {
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

/** Links from an item back to the list. */
export const BackLink = ({ href, children }: { href: string; children: string }) => (
  <div className="back-link row">
    <Icon name="angle-left" />
    <PageLink href={href}>{children}</PageLink>
  </div>
);

/** The service's title, which the document has until a page sets its own: see web/site/build-web-interface.ts. */
export const serviceTitle = document.title;

/** Sets the page's title: its parts, most specific first, then the service's title. */
export const PageTitle = ({ parts }: { parts: readonly string[] }) => (
  <title>{[...parts, serviceTitle].join(" – ")}</title>
);

interface SectionProps extends Pick<HeaderProps, "counter" | "description" | "actions"> {
  title: string;
  children: ReactNode;
}

/** A part of a page with a heading. */
export const Section = ({ title, children, ...header }: SectionProps) => (
  <Container
    header={
      <Header {...header} variant="h2">
        {title}
      </Header>
    }
  >
    {children}
  </Container>
);
