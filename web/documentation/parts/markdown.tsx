import { Marked } from "marked";
import { useLayoutEffect, useRef } from "react";

const marked = new Marked();

/** Markdown from the description, which this service serves itself. */
export const Markdown = ({ text }: { text: string }) => (
  <Html className="markdown" html={marked.parse(text, { async: false })} />
);

interface HtmlProps {
  html: string;
  className: string;
}

/** HTML that was made from this project's own Markdown. The page's policy lets no script in it run. */
export const Html = ({ html, className }: HtmlProps) => {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (element.current) element.current.innerHTML = html;
  }, [html]);
  return <div className={className} ref={element} />;
};
