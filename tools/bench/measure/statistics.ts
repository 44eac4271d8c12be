/** The median of some figures, and how far they spread. */
export interface Figure {
  median: number;
  /** The quartiles: half of all figures lie between them. */
  low: number;
  high: number;
}

export const figureOf = (values: readonly number[]): Figure => ({
  median: quantile(values, 0.5),
  low: quantile(values, 0.25),
  high: quantile(values, 0.75),
});

/**
 * The ratio to the floor: the median of the ratios within each round, in which the machine measured both under the
 * same conditions.
 */
export const ratioOf = (values: readonly number[], floor: readonly number[]): number =>
  quantile(
    values.map((value, round) => value / (floor[round] ?? Number.NaN)),
    0.5,
  );

const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((left, right) => left - right);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
};
