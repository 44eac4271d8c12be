import { Container, Header, type HeaderProps } from "@cloudscape-design/components";
import type { ReactNode } from "react";

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
