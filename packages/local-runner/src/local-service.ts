import type { ApplicationChanges } from "./assembly/application.ts";
import type { UsedRight } from "./database/access-control.ts";
import type { Middleware } from "./gateway/gateway.ts";
import type { DatabaseAccess } from "./lambda/function-setup.ts";
import type { Outcome } from "./lambda/outcome.ts";
import type { Login } from "./login/accounts.ts";
import type { Sent } from "./messages/sent.ts";
import type { LocalError } from "./support/local-error.ts";

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
  /** What to leave out although it cannot run: logical ids, resource types, or one of these and a property (`Handler.VpcConfig`). */
  ignore?: readonly string[];
  /** A DynamoDB to use instead of the embedded one. The run then enforces no policies on it. */
  externalDatabase?: DatabaseAccess | undefined;
  /** Users who can sign in during this run, in addition to those of the user pool. */
  additionalUsers?: Login[];
  /** Takes what the functions write and what the run itself reports, in whole lines. */
  log?: (text: string) => void;
  /** Called if the run cannot go on: the embedded database has stopped, or a function uses what it does not support. */
  onFailure?: (failure: LocalError) => void;
  /**
   * Returns the path of a source map of the file with the function's handler. Stack traces then show the sources, and
   * debuggers find them. Paths in the map are relative to the map itself. Called whenever a thread of the function starts.
   */
  sourceMapOf?: (functionName: string) => string | undefined;
  /**
   * Makes a function's code when it is first called, after a start or a reload, and returns the folder. Without a folder, the
   * code is the assembly's. If it fails, so does the call, and the next one tries again.
   */
  makeCode?: (functionName: string, assemblyCode: string) => Promise<string | undefined>;
  /** Gets each request on the API's port before the gateway does. */
  middleware?: Middleware;
}

/** A running application. After a reload its members show the new application. */
export interface LocalService {
  baseUrl: string;
  invokeUrl: string;
  dynamodbUrl: string;
  /** The issuer of the tokens that users sign in for; undefined if the stacks have no user pool. */
  loginUrl: string | undefined;
  /** The client ids that the issuer knows. */
  loginClientIds: string[];
  /** Who can sign in, and with what. */
  logins: Login[];
  functionNames: string[];
  tableNames: string[];
  /** Outputs of the stacks, by name. */
  outputs: Record<string, string>;
  /** The folder that a function's code is loaded from; undefined if there is no such function. */
  codeDirectoryOf: (functionName: string) => string | undefined;
  /** Invokes a function with any JSON value. */
  invoke: (functionName: string, event: unknown) => Promise<Outcome>;
  /** What was sent to topics and event buses, also before this start. */
  sent: () => Sent[];
  /** Delivers what functions have logged to the functions that subscribe to it, and waits until they have taken it. */
  deliverLogs: () => Promise<void>;
  /** The time of the functions, in epoch milliseconds. */
  now: () => number;
  /** The rights that functions have used since the start. */
  usedRights: () => Promise<UsedRight[]>;
  /**
   * Loads a function's code from another folder, in new threads, from the next invocation on. Calls in progress finish in the
   * old threads, so the old folder must stay until then. Throws a `LocalError` if there is no such function or folder.
   */
  replaceCode: (functionName: string, codeDirectory: string) => void;
  /**
   * Runs another cloud assembly with the same ports, data and logins, creates its new tables, and returns what has changed.
   * Calls in progress finish in the old threads, so the folder of the old assembly must stay until then. Throws a
   * `LocalError` if the new assembly cannot be run, and continues with the old one.
   */
  reload: (assemblyDirectory: string) => Promise<ApplicationChanges>;
  /** Gives calls in progress a moment to finish, closes the database, and stops. */
  close: () => Promise<void>;
}
