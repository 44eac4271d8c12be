/** All options that add something to a deployment, at once. */
export const everyOption = {
  stage: "prod",
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/00000000-0000-0000-0000-000000000000",
  dualStack: "true",
  customerManagedKey: "true",
  alarmEmail: "ops@example.com",
  requireMfa: "false",
  provisionedConcurrency: "2",
  reserveConcurrency: "true",
} as const;
