/** DynamoDB's price of a million units on demand in us-east-1, in dollars. A consistent read of 4 KB takes one unit. */
const dollarsPerMillionUnits = 0.125;
const unitBytes = 4096;

/** A key of the usual size. */
const keyBytes = 151;

const format = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 1 });

/** What it costs about to read keys: "about $0.0005". */
export const costOfReading = (count: number): string => {
  const dollars = ((count * keyBytes) / unitBytes / 1_000_000) * dollarsPerMillionUnits;
  return dollars < 0.0001 ? "less than $0.0001" : `about ${format.format(dollars)}`;
};
