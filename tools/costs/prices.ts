/** The price of a monthly quantity, whose unit price falls: each pair has the quantity up to which a unit price applies. */
const tiers =
  (...steps: [upTo: number, unitPrice: number][]) =>
  (quantity: number): number => {
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
 * - https://aws.amazon.com/ec2/pricing/on-demand/ (data transfer to the internet)
 */
export const prices = {
  /** For each 512 KB of a response. */
  httpApiCalls: tiers([300e6, 1.0e-6], [Number.POSITIVE_INFINITY, 0.9e-6]),
  lambdaCall: 0.2e-6,
  /** Per GB of memory and second, on Arm, up to 7.5 billion of them. */
  lambdaGigabyteSecond: 1.33334e-5,
  /** On demand: up to 4 KB read with strong consistency, or up to 1 KB written. */
  read: 0.125e-6,
  write: 0.625e-6,
  /** Per GB written to CloudWatch Logs. */
  logGigabyte: 0.5,
  /** GB sent to the internet. */
  transferGigabytes: tiers([10_240, 0.09], [51_200, 0.085], [153_600, 0.07], [Number.POSITIVE_INFINITY, 0.05]),
  month: {
    /** Per metric that an alarm uses. */
    alarmMetric: 0.1,
    customMetric: 0.3,
    dashboard: 3,
  },
} as const;
