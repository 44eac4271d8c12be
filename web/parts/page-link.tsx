import Link from "@cloudscape-design/components/link";
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
