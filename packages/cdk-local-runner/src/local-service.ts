import type { ApplicationChanges } from "./assembly/application.ts";
import type { UsedRight } from "./database/access-control.ts";
import type { Middleware } from "./gateway/gateway.ts";
import type { Outcome } from "./lambda/outcome.ts";
import type { Login } from "./login/login-file.ts";
import type { Sent } from "./messages/sent.ts";
import type { DatabaseAccess } from "./support/aws-environment.ts";
import type { LocalError } from "./support/local-error.ts";

export interface LocalServiceOptions {
  /** The API's port. The Invoke API, DynamoDB and the login use the next three ports. 0 uses any free port for each. */
  port: number;
  /** The folder for the database and the logins. */
  dataDirectory: string;
  /**
   * The folder of the cloud assembly to run, or a function that creates it. The function is called after the ports and the data
   * have been locked, so that a second run in the same folder stops before it overwrites the first run's assembly.
   */
  assembly: string | (() => Promise<string>);
  /**
   * What to leave out although it can't run: logical ids or resource types, each optionally with a property (`Handler.VpcConfig`),
   * or paths of constructs. The assembly can also bring a list: see the README.
   */
  ignore?: readonly string[];
  /** A DynamoDB to use instead of the embedded one. The run doesn't enforce policies on it. */
  externalDatabase?: DatabaseAccess | undefined;
  /**
   * Returns the value of a parameter of the Parameter Store; undefined if there is none. Called for each request. By default, there
   * are no parameters.
   */
  parameters?: (name: string) => string | undefined;
  /** Users who can sign in during this run, in addition to the user pool's users. */
  additionalUsers?: Login[];
  /** Receives the output of the functions and of the run itself, in whole lines. */
  log?: (text: string) => void;
  /** Called if the run can't continue: the embedded database has stopped, or a function uses something unsupported. */
  onFailure?: (failure: LocalError) => void;
  /**
   * Returns the path of a source map for the function's handler file. Stack traces then refer to the sources, and debuggers find
   * them. Paths in the map are relative to the map. Called whenever a thread of the function starts.
   */
  sourceMapOf?: (functionName: string) => string | undefined;
  /**
   * Builds a function's code when it is first called after a start or a reload, and returns the code's folder. If it returns no
   * folder, the assembly's code is used. If the build fails, the call fails too, and the next call retries.
   */
  makeCode?: (functionName: string, assemblyCode: string) => Promise<string | undefined>;
  /** Receives each request on the API's port before the gateway. */
  middleware?: Middleware;
}

/** A running application. After a reload, its members reflect the new application. */
export interface LocalService {
  baseUrl: string;
  invokeUrl: string;
  dynamodbUrl: string;
  /** The issuer of the tokens that users get when they sign in; undefined if the stacks have no user pool. */
  loginUrl: string | undefined;
  /** The client ids that the issuer accepts. */
  loginClientIds: string[];
  /** The users who can sign in, with their passwords. */
  logins: Login[];
  functionNames: string[];
  /** The resources and properties that are left out. */
  ignored: string[];
  tableNames: string[];
  /** Returns the folder that a function's code is loaded from; undefined if the function doesn't exist. */
  codeDirectoryOf: (functionName: string) => string | undefined;
  /** Invokes a function with any JSON value. */
  invoke: (functionName: string, event: unknown) => Promise<Outcome>;
  /** Returns everything that was sent to topics and event buses since the start. */
  sent: () => Sent[];
  /** Delivers log output to the functions that subscribe to it, and waits until they have processed it. */
  deliverLogs: () => Promise<void>;
  /** Returns the functions' time, in epoch milliseconds. */
  now: () => number;
  /** Returns the rights that functions have used since the start. */
  usedRights: () => Promise<UsedRight[]>;
  /**
   * Loads a function's code from another folder, in new threads, from the next invocation on. Calls in progress finish in the old
   * threads, so the old folder must stay until then. Throws a `LocalError` if the function or folder doesn't exist.
   */
  replaceCode: (functionName: string, codeDirectory: string) => void;
  /**
   * Runs another cloud assembly with the same ports, data and logins, creates its new tables, and returns what has changed. Calls
   * in progress finish in the old threads, so the old assembly's folder must stay until then. If the new assembly can't run, throws
   * a `LocalError`, and the old assembly keeps running.
   */
  reload: (assemblyDirectory: string) => Promise<ApplicationChanges>;
  /** Gives calls in progress a moment to finish, closes the database, and stops. */
  close: () => Promise<void>;
}
