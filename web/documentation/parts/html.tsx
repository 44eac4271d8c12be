import { useEffect, useState } from "react";
import { documentationPage } from "../../../lambdas/shared/addresses.ts";

/** Shows HTML that the build made from this project's own Markdown. The page's Content-Security-Policy blocks scripts in it. */
export const Html = ({ html, className = "markdown" }: { html: string; className?: string }) => (
  <div className={className} dangerouslySetInnerHTML={{ __html: html }} />
);

interface HeadingProps {
  id: string;
  title: string;
}

/** A heading that links to itself, so that readers can copy its address. */
export const Heading = ({ id, title }: HeadingProps) => (
  <h2 id={id}>
    <a href={`#${id}`}>{title}</a>
  </h2>
);

/** Links to the headings of a page that has several, and marks the one that is being read. */
export const OnThisPage = ({ headings }: { headings: readonly HeadingProps[] }) => {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    const follow = () => {
      const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
      const isRead = ({ id }: HeadingProps) =>
        (document.getElementById(id)?.getBoundingClientRect().top ?? innerHeight) < 100;
      setCurrent((isAtEnd ? headings.at(-1) : headings.findLast(isRead))?.id);
    };
    follow();
    addEventListener("scroll", follow, { passive: true });
    return () => removeEventListener("scroll", follow);
  }, [headings]);
  if (headings.length < 2) return null;
  return (
    <nav className="on-this-page row" aria-label="On this page">
      <span className="quiet">On this page</span>
      {headings.map(({ id, title }) => (
        <a key={id} href={`#${id}`} aria-current={id === current ? "location" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
};

/** Links to the explanation of an error. */
export const ErrorLink = ({ code }: { code: string }) => (
  <a className="error-link" href={`${documentationPage("errors")}#${code}`}>
    {code}
  </a>
);

export const Method = ({ method }: { method: string }) => (
  <span className={`method ${method.toLowerCase()}`}>{method}</span>
);

const names: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  302: "Found",
  304: "Not Modified",
  307: "Temporary Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** Returns a status with its reason phrase, such as `404 Not Found`. HTTP/2 doesn't transmit the phrase. */
export const statusText = (status: number): string => `${status} ${names[status] ?? ""}`.trim();
