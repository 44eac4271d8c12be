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

/** Links to the headings of a page that has several. */
export const OnThisPage = ({ headings }: { headings: readonly HeadingProps[] }) =>
  headings.length > 1 && (
    <nav className="on-this-page row" aria-label="On this page">
      <span className="quiet">On this page</span>
      {headings.map(({ id, title }) => (
        <a key={id} href={`#${id}`}>
          {title}
        </a>
      ))}
    </nav>
  );
