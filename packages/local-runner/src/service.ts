import { resolve } from "node:path";
import { followLiveFiles } from "../../../local/live-files.ts";
import { projectDirectory, synthesise } from "../../../local/synthesise.ts";
import { type Application, readApplication } from "./assembly/application.ts";
import { localAwsEnvironment } from "./aws-environment.ts";
import type { UsedRight } from "./database/access-control.ts";
import { createTables } from "./database/create-tables.ts";
import { type EmbeddedDatabase, startEmbeddedDatabase } from "./database/embedded-database.ts";
import { sendGatewayAnswer } from "./gateway/function-response.ts";
import { createGateway } from "./gateway/gateway.ts";
import { type HttpListener, openListener } from "./http-listener.ts";
import { createFunctionPool, type FunctionPool } from "./lambda/function-pool.ts";
import { createInvokeApi } from "./lambda/invoke-api.ts";
import type { Outcome } from "./lambda/outcome.ts";
import { type DatabaseAccess, runtimeVariables } from "./lambda/runtime-variables.ts";
import { LocalError, messageOf } from "./local-error.ts";
import type { Login } from "./login/accounts.ts";
import type { Issuer } from "./login/issuer.ts";
import { loadLogin, startLogin } from "./login/start-login.ts";
import { createLogFeed } from "./logs/log-feed.ts";
import { prefixLines } from "./prefix-lines.ts";

export interface LocalServiceOptions {
  /** The API's port; the Invoke API, DynamoDB and the login take the three after it. 0 takes any free port for each. */
  readonly port: number;
  /** Where the database and the logins are kept, and the cloud assembly if it is synthesised here. */
  readonly dataDirectory: string;
  /** A cloud assembly to run; synthesised from `infra/app.ts` if left out. */
  readonly assemblyDirectory?: string;
  /** A DynamoDB to use instead of the embedded one. Policies are then its business, and not enforced here. */
  readonly externalDatabase?: DatabaseAccess;
  /** Users who can sign in for this run alone, beside those of the user pool. */
  readonly additionalUsers?: readonly Login[];
  /** Takes what the functions write and what the run itself has to say, in whole lines. */
  readonly log?: (text: string) => void;
  /** Called if the run cannot go on. */
  readonly onFailure?: (failure: LocalError) => void;
}

/** A running application. */
export interface LocalService {
  readonly baseUrl: string;
  readonly invokeUrl: string;
  readonly dynamodbUrl: string;
  /** The issuer of the tokens that admins sign in with; undefined if the stacks have no user pool. */
  readonly loginUrl: string | undefined;
  /** The client ids that the issuer knows. */
  readonly loginClientIds: readonly string[];
  /** Who can sign in, and with what. */
  readonly logins: readonly Login[];
  readonly functionNames: readonly string[];
  readonly tableNames: readonly string[];
  /** Outputs of the stacks, by name. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Invokes a function with any JSON value. */
  readonly invoke: (functionName: string, event: unknown) => Promise<Outcome>;
  /** The rights that functions have made use of since the start. */
  readonly usedRights: () => Promise<readonly UsedRight[]>;
  /** Answers what is running, closes the database, and stops. */
  readonly close: () => Promise<void>;
}

// With the database's own closing, all of it stays below one second.
const graceMilliseconds = 600;

/**
 * Starts all that the synthesised templates declare.
 *
 * @example
 * const service = await startLocalService({ port: 0, dataDirectory: await mkdtemp("/tmp/run-") });
 * await fetch(`${service.baseUrl}/api/v1/key`);
 * await service.close();
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  // What has been opened is closed in reverse, at the end as after a start that failed half way.
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne();
  };
  try {
    return { ...(await start(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(options: LocalServiceOptions, closers: (() => Promise<unknown>)[]) {
  const { port, externalDatabase, additionalUsers = [], log = () => {} } = options;
  const dataDirectory = resolve(options.dataDirectory);
  const environment = localAwsEnvironment(externalDatabase?.region);

  // Ports and data first: a second run in the same folder must stop before it writes over the first one's assembly.
  const api = await openPort(port, "the API");
  const invokeApi = await openPort(port && port + 1, "the Lambda Invoke API");
  const login = await openPort(port && port + 3, "the login");
  const database = externalDatabase ? undefined : await startDatabase();
  const access = externalDatabase ?? { endpoint: database?.url ?? "", region: environment.region };

  const assemblyDirectory = options.assemblyDirectory ?? (await synthesiseMeanwhileLoading());
  const places = { environment, baseUrl: api.url, loginUrl: login.url };
  const application = await readApplication(assemblyDirectory, places);
  const forLogin = { baseUrl: api.url, dataDirectory, additionalUsers, log: logLine };
  const issuer = await startLogin(application.userPool, login, forLogin);
  await createTables(application.tables, access, externalDatabase?.endpoint ?? dataDirectory);
  database?.enforce(new Map(application.functions.map(({ name, rights }) => [name, rights])));

  const byArn = new Map<string, FunctionPool>();
  const invokeByArn = (arn: string, payload: string) => byArn.get(application.functionBehind(arn))?.invoke(payload);
  const { subscriptions } = application;
  const feed = createLogFeed({ subscriptions, accountId: environment.accountId, invoke: invokeByArn, log: logLine });
  const pools = new Map(
    application.functions.map((definition): [string, FunctionPool] => {
      const variables = runtimeVariables(definition, access);
      const show = prefixLines(`[${definition.name}] `, log);
      const take = feed.takerOf({
        logGroup: definition.logGroup,
        logStream: variables.AWS_LAMBDA_LOG_STREAM_NAME ?? "",
      });
      const onLog = (text: string) => {
        show(text);
        take?.(text);
      };
      const pool = createFunctionPool(definition, { variables, onLog });
      byArn.set(definition.arn, pool);
      return [definition.name, pool];
    }),
  );
  closers.push(() => Promise.all([...pools.values()].map((pool) => pool.close())));
  closers.push(() => feed.close(graceMilliseconds));
  closers.push(() => Promise.all([api, invokeApi, login].map((listener) => listener.close(graceMilliseconds))));
  const onError = (error: unknown) => logLine(`A changed file could not be taken up: ${messageOf(error)}`);
  const follower = await followLiveFiles(application.functions, { projectDirectory, onError });
  closers.push(async () => follower.close());
  serve(api, { application, invoke: invokeByArn, issuer });
  invokeApi.serve(createInvokeApi(pools, logLine));

  return {
    baseUrl: api.url,
    invokeUrl: invokeApi.url,
    dynamodbUrl: access.endpoint,
    loginUrl: issuer && login.url,
    loginClientIds: application.userPool?.clients.map(({ id }) => id) ?? [],
    logins: issuer?.logins ?? [],
    functionNames: [...pools.keys()],
    tableNames: application.tables.map(({ TableName }) => TableName),
    outputs: application.outputs,
    async invoke(functionName: string, event: unknown) {
      const pool = pools.get(functionName);
      if (pool) return pool.invoke(JSON.stringify(event));
      throw new LocalError(`There is no function ${functionName}. There are: ${[...pools.keys()].join(", ")}.`);
    },
    usedRights: async () => (await database?.usedRights()) ?? [],
  };

  function logLine(text: string): void {
    log(`${text}\n`);
  }

  async function openPort(number: number, use: string): Promise<HttpListener> {
    const listener = await openListener(number, use);
    closers.push(() => listener.close(0));
    return listener;
  }

  async function startDatabase(): Promise<EmbeddedDatabase> {
    const onFailure = options.onFailure ?? ((failure: LocalError) => logLine(failure.message));
    const started = await startEmbeddedDatabase({ dataDirectory, port: port && port + 2, environment, onFailure });
    closers.push(started.close);
    return started;
  }

  // The login's library is loaded while the other process synthesises, when there is little else to do here.
  async function synthesiseMeanwhileLoading(): Promise<string> {
    const [directory] = await Promise.all([synthesise(dataDirectory), loadLogin()]);
    return directory;
  }

  function serve(
    listener: HttpListener,
    {
      application: { api, mayInvoke },
      invoke,
      issuer,
    }: {
      application: Application;
      invoke: (functionArn: string, payload: string) => Promise<Outcome> | undefined;
      issuer: Issuer | undefined;
    },
  ) {
    if (api === undefined) {
      return listener.serve((_, response) => sendGatewayAnswer(response, 404, "Not Found"));
    }
    listener.serve(
      createGateway({
        api,
        mayInvoke,
        accountId: environment.accountId,
        domainName: new URL(listener.url).host,
        invoke,
        keysOf: (url) => (url === login.url ? issuer?.keys : undefined),
        log: logLine,
      }),
    );
  }
}
