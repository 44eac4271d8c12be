import {
  Container,
  Header,
  type HeaderProps,
  Icon,
  KeyValuePairs,
  type KeyValuePairsProps,
  Link,
} from "@cloudscape-design/components";
import type { ReactNode } from "react";
import { useLocation } from "wouter";

/** Returns the properties of a link or button that leads to another page of the interface without reloading the document. */
export const useFollow = (href: string) => {
  const [, navigate] = useLocation();
  const onFollow = (event: CustomEvent) => {
    event.preventDefault();
    navigate(href);
  };
  return { href, onFollow };
};

export const PageLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link {...useFollow(href)}>{children}</Link>
);

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

interface SectionProps extends Pick<HeaderProps, "description" | "actions"> {
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

/** Shows facts about a record side by side. */
export const Facts = ({ items }: { items: KeyValuePairsProps.Item[] }) => (
  <Container>
    <KeyValuePairs columns={Math.min(4, items.length)} minColumnWidth={230} items={items} />
  </Container>
);
