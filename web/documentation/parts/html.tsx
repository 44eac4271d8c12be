/** Shows HTML that the build made from this project's own Markdown. The page's Content-Security-Policy blocks scripts in it. */
export const Html = ({ html, className = "markdown" }: { html: string; className?: string }) => (
  <div className={className} dangerouslySetInnerHTML={{ __html: html }} />
);
