import type { ApplicationChanges } from "./assembly/changes.ts";
import type { UsedRight } from "./database/access-control.ts";
import type { Middleware } from "./gateway/middleware.ts";
import type { Outcome } from "./lambda/outcome.ts";
import type { DatabaseAccess } from "./lambda/runtime-variables.ts";
import type { LocalError } from "./local-error.ts";
import type { Login } from "./login/accounts.ts";
import { runService } from "./run-service.ts";

export interface LocalServiceOptions {
  /** The API's port; the Invoke API, DynamoDB and the login take the three after it. 0 takes any free port for each. */
  port: number;
  /** Where the database and the logins are kept. */
  dataDirectory: string;
  /**
   * The folder of the cloud assembly to run, or a function that makes it. The function is called once the ports and the
   * data are taken, so that a second run in the same folder stops before it overwrites the assembly of the first one.
   */
  assembly: string | (() => Promise<string>);
  /** A DynamoDB to use instead of the embedded one. It then enforces policies itself, or nobody does. */
  externalDatabase?: DatabaseAccess | undefined;
  /** Users who can sign in during this run, in addition to those of the user pool. */
  additionalUsers?: readonly Login[];
  /** Takes what the functions write and what the run itself reports, in whole lines. */
  log?: (text: string) => void;
  /** Called if the run cannot go on. */
  onFailure?: (failure: LocalError) => void;
  /**
   * Gives the path of a source map of the file that has the function's handler. Stack traces then show the sources, and
   * debuggers find them. Paths in the map are relative to the map itself. Asked whenever a thread of the function starts.
   */
  sourceMapOf?: (functionName: string) => string | undefined;
  /** Sees each request on the API's port before the gateway does. */
  middleware?: Middleware;
}

/** A running application. What its members say is true of the moment: a reload may change it. */
export interface LocalService {
  readonly baseUrl: string;
  readonly invokeUrl: string;
  readonly dynamodbUrl: string;
  /** The issuer of the tokens that users sign in for; undefined if the stacks have no user pool. */
  readonly loginUrl: string | undefined;
  /** The client ids that the issuer knows. */
  readonly loginClientIds: readonly string[];
  /** Who can sign in, and with what. */
  readonly logins: readonly Login[];
  readonly functionNames: readonly string[];
  readonly tableNames: readonly string[];
  /** Outputs of the stacks, by name. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The folder that a function's code is loaded from; undefined if there is no such function. */
  codeDirectoryOf: (functionName: string) => string | undefined;
  /** Invokes a function with any JSON value. */
  invoke: (functionName: string, event: unknown) => Promise<Outcome>;
  /** The rights that functions have made use of since the start. */
  usedRights: () => Promise<readonly UsedRight[]>;
  /**
   * Loads a function's code from another folder, in new threads, from the next invocation on. Calls under way finish in the
   * old threads, so the old folder must stay until then. Throws a `LocalError` if there is no such function or folder.
   */
  replaceCode: (functionName: string, codeDirectory: string) => void;
  /**
   * Runs another cloud assembly with the same ports, data and logins, creates its new tables, and answers what has changed.
   * Calls under way finish as they began, so the folder of the old assembly must stay until then. Throws a `LocalError` if
   * the new assembly cannot be run; the old one then goes on.
   */
  reload: (assemblyDirectory: string) => Promise<ApplicationChanges>;
  /** Answers what is running, closes the database, and stops. */
  close: () => Promise<void>;
}

/**
 * Starts everything that the templates of a cloud assembly declare.
 *
 * @example
 * const service = await startLocalService({ port: 3000, dataDirectory: ".local", assembly: "cdk.out" });
 * await fetch(`${service.baseUrl}/items`);
 * await service.close();
 */
export const startLocalService = async (options: LocalServiceOptions): Promise<LocalService> => {
  // What has been opened is closed in reverse order, when the service is closed or when its start fails.
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne();
  };
  try {
    return await runService(options, { closers, close });
  } catch (error) {
    await close();
    throw error;
  }
};
