/** A price that falls with the monthly quantity: each pair has the quantity up to which a unit price applies. */
export type Price = (quantity: number) => number;

const tiers =
  (...steps: [upTo: number, unitPrice: number][]): Price =>
  (quantity) => {
    let cost = 0;
    let from = 0;
    for (const [upTo, unitPrice] of steps) {
      cost += Math.max(0, Math.min(quantity, upTo) - from) * unitPrice;
      from = upTo;
    }
    return cost;
  };

/**
 * AWS prices in dollars for us-east-1, without free tiers, taxes and discounts. Collected in November 2026 from stored
 * copies of the pages below, the newest from December 2025, not from the live pages: check those before you rely on a price.
 *
 * - https://aws.amazon.com/api-gateway/pricing/ (HTTP APIs)
 * - https://aws.amazon.com/lambda/pricing/ (Arm)
 * - https://aws.amazon.com/dynamodb/pricing/on-demand/ (since November 2024)
 * - https://aws.amazon.com/cloudwatch/pricing/
 * - https://aws.amazon.com/backup/pricing/
 * - https://aws.amazon.com/ec2/pricing/on-demand/ (data transfer to the internet)
 */
export const prices = {
  /** Per call of at most 512 KB. */
  httpApiCall: tiers([300e6, 1.0e-6], [Number.POSITIVE_INFINITY, 0.9e-6]),
  lambdaCall: tiers([Number.POSITIVE_INFINITY, 0.2e-6]),
  /** Per GB of memory and second, on Arm. */
  lambdaGigabyteSecond: tiers([7.5e9, 1.33334e-5], [18.75e9, 1.20001e-5], [Number.POSITIVE_INFINITY, 1.06667e-5]),
  /** On demand: up to 4 KB read with strong consistency, or up to 1 KB written. */
  dynamodbRead: tiers([Number.POSITIVE_INFINITY, 0.125e-6]),
  dynamodbWrite: tiers([Number.POSITIVE_INFINITY, 0.625e-6]),
  /** Per GB written to CloudWatch Logs, without the lower tiers that some kinds of logs have. */
  logGigabyte: tiers([Number.POSITIVE_INFINITY, 0.5]),
  /** Per GB of logs that a query scans. */
  scannedGigabyte: tiers([Number.POSITIVE_INFINITY, 0.005]),
  /** Per GB sent to the internet. */
  transferGigabyte: tiers([10_240, 0.09], [51_200, 0.085], [153_600, 0.07], [Number.POSITIVE_INFINITY, 0.05]),
  /** Per GB copied from us-east-1 to another region. */
  copiedGigabyte: 0.02,
  month: {
    /** Per metric that an alarm uses. */
    alarmMetric: 0.1,
    customMetric: 0.3,
    dashboard: 3,
    /** Per GB of a table, including its point-in-time recovery. */
    tableGigabyte: 0.25 + 0.2,
    logGigabyte: 0.03,
    /** Per GB of an on-demand backup of a table. */
    backupGigabyte: 0.1,
  },
} as const;
