/** The title of the service, which the document has until a page gives it its own: see infra/build/site/web-interface.ts. */
export const serviceTitle = document.title;

/** The title of a page: its parts, the most specific one first, and that of the service. */
export const PageTitle = ({ parts }: { parts: readonly string[] }) => (
  <title>{[...parts, serviceTitle].join(" – ")}</title>
);
