/** The region of an option, or else of the environment. The SDK does not know AWS_DEFAULT_REGION, unlike AWS's command line. */
export const chosenRegion = (option: string | undefined): string | undefined =>
  option || process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION || undefined;
