import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type DatabaseAccess, LocalError, messageOf, Refusal } from "cdk-local-runner";
import * as z from "zod/mini";
import { portProblem, readPort } from "./port.ts";

export interface Settings {
  port: number;
  dataDirectory: string;
  /** The file with the values of the settings and secrets that endpoints declare. */
  settingsFile: string;
  /** A DynamoDB to use instead of the embedded one. */
  externalDatabase?: DatabaseAccess;
}

/** Reads the settings of a local run from the environment. */
export const readSettings = (environment: NodeJS.ProcessEnv): Settings => {
  const dataDirectory = resolve(environment.DATA_DIR || ".local");
  const port = readPort(environment);
  if (port === undefined) {
    throw new LocalError(`${portProblem(environment)} npm start.`);
  }
  const endpoint = environment.AWS_ENDPOINT_URL_DYNAMODB;
  const settings = { port, dataDirectory, settingsFile: join(dataDirectory, "settings.json") };
  if (!endpoint) return settings;
  if (!URL.canParse(endpoint)) {
    throw new LocalError(`AWS_ENDPOINT_URL_DYNAMODB is ${endpoint}, which is not a URL such as http://127.0.0.1:8000.`);
  }
  return { ...settings, externalDatabase: readDatabaseAccess(endpoint, environment) };
};

const secretsSchema = z.object({ secrets: z.record(z.string(), z.coerce.string()) });

/**
 * Returns a function that reads the value of a secret from the settings file, so that each change of the file counts. The synthesis
 * creates and checks the file: see infra/stages/local-settings.ts.
 */
export const secretsIn =
  ({ settingsFile }: Pick<Settings, "settingsFile">) =>
  (parameterName: string): string | undefined => {
    const name = parameterName.split("/").at(-1) ?? "";
    try {
      return secretsSchema.parse(JSON.parse(readFileSync(settingsFile, "utf8"))).secrets[name];
    } catch {
      // The parser's message may quote a secret.
      throw new LocalError(`${settingsFile} cannot be read, or is damaged.`);
    }
  };

const readDatabaseAccess = (endpoint: string, environment: NodeJS.ProcessEnv): DatabaseAccess => {
  const { AWS_REGION, AWS_DEFAULT_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  const region = AWS_REGION || AWS_DEFAULT_REGION || "us-east-1";
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return { endpoint, region };
  return {
    endpoint,
    region,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    },
  };
};

/** Explains how to set the options that a failure may depend on. */
const optionSettings = {
  port: "PORT=4000 npm start",
  dataDirectory: "DATA_DIR=… npm start",
  externalDatabase: "AWS_ENDPOINT_URL_DYNAMODB=… npm start",
};

/**
 * Returns the text about a failure for the terminal. An unexpected error is a bug, so the text includes the stack trace that a
 * maintainer needs.
 */
export const failureText = (error: unknown): string => {
  if (!(error instanceof LocalError)) return error instanceof Error ? (error.stack ?? messageOf(error)) : String(error);
  const entries = error instanceof Refusal ? error.entries : [];
  if (entries.length > 0) {
    const names = entries.map((entry) => `"${entry}"`).join(", ");
    return `${error.message}\nTo start without them: serviceApp(…, { leaveOutLocally: [${names}] }).`;
  }
  return error.option === undefined
    ? error.message
    : `${error.message}\nTo choose another: ${optionSettings[error.option]}`;
};
