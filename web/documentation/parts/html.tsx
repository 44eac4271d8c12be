interface HtmlProps {
  html: string;
  className?: string;
}

/** Shows HTML that the build made from this project's own Markdown. The page's Content-Security-Policy blocks scripts in it. */
export const Html = ({ html, className = "markdown" }: HtmlProps) => (
  <div className={className} dangerouslySetInnerHTML={{ __html: html }} />
);
