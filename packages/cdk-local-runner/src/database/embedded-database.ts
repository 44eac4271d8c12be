import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Rights } from "../assembly/rights.ts";
import type { AwsEnvironment } from "../support/aws-environment.ts";
import { cannotWrite } from "../support/cannot-write.ts";
import { host, portRefusal } from "../support/http-listener.ts";
import { LocalError, messageOf } from "../support/local-error.ts";
import { makePrivateDirectory } from "../support/private-files.ts";
import type { UsedRight } from "./access-control.ts";
import { type DatabaseReply, type DatabaseRequest, type DatabaseThreadData, folderInUse } from "./database-messages.ts";

/** A DynamoDB inside this process that stores its data on disk. */
export interface EmbeddedDatabase {
  url: string;
  /** Restricts functions to the rights that their policies grant. */
  enforce: (rightsOf: ReadonlyMap<string, Rights>) => Promise<void>;
  usedRights: () => Promise<UsedRight[]>;
  close: () => Promise<void>;
}

interface EmbeddedDatabaseOptions {
  dataDirectory: string;
  port: number;
  environment: AwsEnvironment;
  /** Called if the database stops unexpectedly, or if a function uses something unsupported: the run can't continue. */
  onFailure: (failure: LocalError) => void;
}

/** Starts the database in a thread. A child process would keep the port and the folder's lock if this process were killed. */
export const startEmbeddedDatabase = async (options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> => {
  const { dataDirectory, port, environment, onFailure } = options;
  await makePrivateDirectory(dataDirectory).catch((error: unknown) => {
    throw cannotWriteFolder(dataDirectory, messageOf(error), error);
  });
  const { NODE_COMPILE_CACHE } = process.env;
  const data: DatabaseThreadData = { dataDirectory, host, port, environment };
  // The built package has a JavaScript file instead.
  const worker = new Worker(new URL(`./database-thread${extname(import.meta.url)}`, import.meta.url), {
    name: "dynamodb",
    workerData: data,
    execArgv: [],
    // By default, V8 would let garbage from requests grow to about 100 MB.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
    // The compile cache of Node.js, if enabled. Without it, the thread would compile its modules again.
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
  });
  const ask = (request: DatabaseRequest) => worker.postMessage(request);
  const replyOf = async <Kind extends DatabaseReply["kind"]>(kind: Kind) => {
    for (;;) {
      const [reply]: DatabaseReply[] = await once(worker, "message");
      if (isOfKind(reply, kind)) return reply;
      if (reply?.kind === "cannot start") throw databaseFailure(reply, options);
    }
  };

  const { port: actualPort } = await replyOf("listening");
  let isClosing = false;
  worker.on("error", (error) => {
    // A call that nobody waits for any more may still be running while the database closes.
    if (isClosing) return;
    onFailure(
      new LocalError(`The embedded database in ${dataDirectory} has stopped: ${messageOf(error)}`, { cause: error }),
    );
  });
  worker.on("message", (reply: DatabaseReply) => {
    if (reply.kind === "unsupported") onFailure(unsupportedRequest(reply));
    if (reply.kind === "failed") onFailure(databaseFailure(reply, options));
  });
  return {
    url: `http://${host}:${actualPort}`,
    async enforce(rightsOf) {
      ask({ kind: "rights", rightsOf });
      await replyOf("enforced");
    },
    async usedRights() {
      ask({ kind: "used rights" });
      return (await replyOf("used rights")).usedRights;
    },
    async close() {
      isClosing = true;
      const exited = new Promise((resolve) => worker.once("exit", resolve));
      ask({ kind: "close" });
      await exited;
    },
  };
};

const unsupportedRequest = ({ functionName, what }: { functionName: string; what: string }): LocalError =>
  new LocalError(
    `Function ${functionName} sent the embedded database a request that it does not support: ${what}. ` +
      'Change the request (see "DynamoDB" in the README of cdk-local-runner), or use another DynamoDB.',
    { option: "externalDatabase" },
  );

const isOfKind = <Kind extends DatabaseReply["kind"]>(
  reply: DatabaseReply | undefined,
  kind: Kind,
): reply is Extract<DatabaseReply, { kind: Kind }> => reply?.kind === kind;

const cannotWriteFolder = (folder: string, reason: string, cause?: unknown): LocalError =>
  cannotWrite(`The data folder ${folder} cannot be written`, reason, cause);

const environmentProblem =
  /permission denied|not permitted|read-only file system|no space left|quota exceeded|readonly database|database or disk is full|i\/o error|unable to open/i;

/** Says why the database can't start or continue, and what to do. */
export const databaseFailure = (
  { code, message }: { code: string | undefined; message: string },
  { dataDirectory, port }: { dataDirectory: string; port: number },
): LocalError => {
  if (message.startsWith("listen ")) return portRefusal(Object.assign(new Error(message), { code }), port, "DynamoDB");
  if (environmentProblem.test(message)) return cannotWriteFolder(dataDirectory, message);
  const problem =
    code === folderInUse
      ? `Another local run uses the data folder ${dataDirectory}: stop it, or choose another folder.`
      : `The data in ${dataDirectory} is damaged (${message}): restore a copy of that folder, or move it away to start with an empty database.`;
  return new LocalError(problem, { option: "dataDirectory" });
};
