import { LocalError, messageOf } from "cdk-local-runner";

/** How the user sets the options that a failure may depend on. */
const settings = {
  port: "PORT=4000 npm start",
  dataDirectory: "DATA_DIR=… npm start",
  externalDatabase: "AWS_ENDPOINT_URL_DYNAMODB=… npm start",
};

/** What the terminal shows about a failure. An unexpected error is a bug, and a maintainer needs its stack trace. */
export const failureText = (error: unknown): string => {
  if (!(error instanceof LocalError)) return error instanceof Error ? (error.stack ?? messageOf(error)) : String(error);
  return error.option === undefined ? error.message : `${error.message}\nTo choose another: ${settings[error.option]}`;
};
