/** A failure that the operator can correct. Its message says what happened and what to do. */
export class RecoveryError extends Error {
  override name = "RecoveryError";
}

interface Place {
  /** The thing that was called, for use inside a sentence: `table restored-keys in eu-west-1`. */
  what: string;
  /** The advice if it does not exist. */
  ifMissing: string;
  /** The IAM actions that the command needs there. */
  actions: string;
}

const nameOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Turns an error of the AWS SDK into a sentence that says what to do. Unexpected errors are thrown unchanged. */
export const explainAwsError = (error: unknown, { what, ifMissing, actions }: Place): unknown => {
  const explained = (sentence: string) => new RecoveryError(sentence, { cause: error });
  switch (nameOf(error)) {
    case "ResourceNotFoundException":
      return explained(`There is no ${what}: ${ifMissing}`);
    case "CredentialsProviderError":
      return explained(
        `There are no AWS credentials (${messageOf(error)}): run aws configure or aws sso login, or set AWS_PROFILE.`,
      );
    case "ExpiredToken":
    case "ExpiredTokenException":
    case "UnrecognizedClientException":
    case "InvalidSignatureException":
      return explained(`AWS does not accept the credentials (${messageOf(error)}): sign in again, or set AWS_PROFILE.`);
    case "AccessDeniedException":
      return explained(
        `The credentials do not give access to ${what} (${messageOf(error)}): the command needs ${actions}.`,
      );
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "ECONNREFUSED":
    case "ECONNRESET":
    case "TimeoutError":
      return explained(
        `AWS cannot be reached for ${what} (${messageOf(error)}): check the name of the region and the network.`,
      );
    case "ProvisionedThroughputExceededException":
    case "ThrottlingException":
    case "RequestLimitExceeded":
      return explained(
        `The ${what} is still throttled after many attempts: wait, or give it warm throughput. Then run the same command again.`,
      );
    default:
      return messageOf(error) === "Region is missing"
        ? explained("No AWS region is set: set AWS_REGION, or name the region as an option.")
        : error;
  }
};

/** Runs a command. A failure that the operator can correct is printed without a stack trace. */
export const runCommand = async (command: () => Promise<void>): Promise<void> => {
  try {
    await command();
  } catch (error) {
    // parseArgs names the option that it does not know.
    const isExpected = error instanceof RecoveryError || nameOf(error).startsWith("ERR_PARSE_ARGS_");
    if (!isExpected) throw error;
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
};

/** The region of an option, or else of the environment. The SDK does not know AWS_DEFAULT_REGION, unlike AWS's command line. */
export const chosenRegion = (option: string | undefined): string | undefined =>
  option || process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION || undefined;

/** A file's text as JSON; undefined if it is something else, which a schema then refuses. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
