import Link from "@cloudscape-design/components/link";
import type { ReactNode } from "react";
import { follow } from "../shell/routing.ts";

interface PageLinkProps {
  href: string;
  children: ReactNode;
}

/** A link to another page of the interface, which is not loaded anew for it. */
export const PageLink = ({ href, children }: PageLinkProps) => (
  <Link href={href} onFollow={follow(href)}>
    {children}
  </Link>
);
