import { once } from "node:events";
import { join } from "node:path";
import type { AwsEnvironment } from "../support/aws-environment.ts";
import { closeServer, host, portOf, portRefusal } from "../support/http-listener.ts";
import { cannotWrite, codeOf, LocalError, messageOf } from "../support/local-error.ts";
import { makePrivateDirectory } from "../support/private-files.ts";
import type { AccessControl } from "./access-control.ts";
import { isBusy } from "./damage.ts";
import { createDatabaseServer } from "./database-server.ts";
import { openSqliteStorage, type SqliteStorage } from "./sqlite-storage.ts";

/** A DynamoDB inside this process that stores its data on disk. */
export interface EmbeddedDatabase {
  url: string;
  close: () => Promise<void>;
}

interface EmbeddedDatabaseOptions {
  dataDirectory: string;
  port: number;
  environment: AwsEnvironment;
  /** Restricts functions to the rights that their policies grant. */
  accessControl?: AccessControl;
  /** Called if the database fails, or if a function uses something unsupported: the run can't continue. */
  onFailure: (failure: LocalError) => void;
}

// A power cut loses at most the writes since the last sync.
const syncMilliseconds = 1000;

export const startEmbeddedDatabase = async (options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> => {
  const { dataDirectory, port, onFailure, ...serverOptions } = options;
  await makePrivateDirectory(dataDirectory).catch((error: unknown) => {
    throw cannotWriteFolder(dataDirectory, messageOf(error), error);
  });
  const storage = openStorage(options);
  const fail = (error: unknown) => onFailure(databaseFailure(error, options));
  const { server } = createDatabaseServer({
    ...serverOptions,
    storage,
    onUnsupported: (request) => onFailure(unsupportedRequest(request)),
    onFailure: fail,
  });
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    storage.close();
    throw databaseFailure(error, options);
  }

  const timer = setInterval(() => {
    try {
      storage.sync();
    } catch (error) {
      fail(error);
    }
  }, syncMilliseconds);
  return {
    url: `http://${host}:${portOf(server) ?? port}`,
    async close() {
      clearInterval(timer);
      await closeServer(server, 100);
      storage.close();
    },
  };
};

const openStorage = (options: EmbeddedDatabaseOptions): SqliteStorage => {
  try {
    return openSqliteStorage(join(options.dataDirectory, "tables.sqlite"));
  } catch (error) {
    throw databaseFailure(error, options);
  }
};

const unsupportedRequest = ({ functionName, what }: { functionName: string; what: string }): LocalError =>
  new LocalError(
    `Function ${functionName} sent the embedded database a request that it does not support: ${what}. ` +
      'Change the request (see "DynamoDB" in the README of cdk-local-runner), or use another DynamoDB.',
    { option: "externalDatabase" },
  );

const cannotWriteFolder = (folder: string, reason: string, cause?: unknown): LocalError =>
  cannotWrite(`The data folder ${folder} cannot be written`, reason, cause);

/** Says why the database can't start or continue, and what to do. */
export const databaseFailure = (
  cause: unknown,
  { dataDirectory, port }: { dataDirectory: string; port: number },
): LocalError => {
  const message = messageOf(cause);
  if (message.startsWith("listen ")) return portRefusal(cause, port, "DynamoDB");
  // Errors of the system and of SQLite have a code. Damaged data is found by the storage or by the engine.
  const isDamage = codeOf(cause) === undefined;
  if (!isDamage && !isBusy(cause)) return cannotWriteFolder(dataDirectory, message, cause);
  const problem = isDamage
    ? `The data in ${dataDirectory} is damaged (${message}): restore a copy of that folder, or move it away to start with an empty database.`
    : `Another local run uses the data folder ${dataDirectory}: stop it, or choose another folder.`;
  return new LocalError(problem, { option: "dataDirectory", cause });
};
