import type { Contents } from "./contents.ts";

interface NeighboursProps {
  contents: readonly Contents[];
  shown: string;
}

/** Links to the previous and the next item of the table of contents. */
export const Neighbours = ({ contents, shown }: NeighboursProps) => {
  const items = contents.flatMap((group) => group.items);
  const index = items.findIndex(({ id }) => id === shown);
  const [previous, next] = [items[index - 1], items[index + 1]];
  return (
    <nav className="neighbours" aria-label="Previous and next">
      {previous && <a href={previous.href}>Previous: {previous.title}</a>}
      {next && (
        <a className="next" href={next.href}>
          Next: {next.title}
        </a>
      )}
    </nav>
  );
};
