/** All options that an operator can set. */
export const everyOption = {
  stage: "prod",
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/00000000-0000-0000-0000-000000000000",
  dualStack: "true",
  customerManagedKey: "true",
  alarmEmail: "ops@example.com",
  provisionedConcurrency: "2",
} as const;
