interface HtmlProps {
  html: string;
  className?: string;
}

/** HTML that was made from this project's own Markdown when the site was built. The page's policy lets no script in it run. */
export const Html = ({ html, className = "markdown" }: HtmlProps) => (
  <div className={className} dangerouslySetInnerHTML={{ __html: html }} />
);
