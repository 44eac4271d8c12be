import { resolve } from "node:path";
import { type Application, readApplication } from "./assembly/application.ts";
import { changesBetween } from "./assembly/changes.ts";
import { localAwsEnvironment } from "./aws-environment.ts";
import { createTables } from "./database/create-tables.ts";
import { type EmbeddedDatabase, startEmbeddedDatabase } from "./database/embedded-database.ts";
import { createGateway } from "./gateway/gateway.ts";
import { withMiddleware } from "./gateway/middleware.ts";
import { type HttpListener, openListener } from "./http-listener.ts";
import { createFunctions } from "./lambda/functions.ts";
import { createInvokeApi } from "./lambda/invoke-api.ts";
import type { InvokeByArn } from "./lambda/outcome.ts";
import type { LocalError } from "./local-error.ts";
import type { Issuer } from "./login/issuer.ts";
import { createLogin, loadLogin } from "./login/login.ts";
import { createLogFeed } from "./logs/log-feed.ts";
import type { LocalService, LocalServiceOptions } from "./service.ts";

// Together with closing the database, less than a second.
const graceMilliseconds = 600;

interface Closing {
  /** Closes what has been opened, the last one first. */
  closers: (() => Promise<unknown>)[];
  close: () => Promise<void>;
}

/** The application that is in charge of the ports. */
interface Running {
  application: Application;
  issuer: Issuer | undefined;
}

/** Opens the ports and the data, has the assembly made, and runs it. */
export const runService = async (options: LocalServiceOptions, { closers, close }: Closing): Promise<LocalService> => {
  const { port, assembly, externalDatabase, additionalUsers = [], middleware, sourceMapOf = () => undefined } = options;
  const { log = () => {} } = options;
  const dataDirectory = resolve(options.dataDirectory);
  const environment = localAwsEnvironment(externalDatabase?.region);
  const logLine = (text: string) => log(`${text}\n`);

  const openPort = async (number: number, use: string): Promise<HttpListener> => {
    const listener = await openListener(number, use);
    closers.push(() => listener.close(0));
    return listener;
  };
  const startDatabase = async (): Promise<EmbeddedDatabase> => {
    const onFailure = options.onFailure ?? ((failure: LocalError) => logLine(failure.message));
    const started = await startEmbeddedDatabase({ dataDirectory, port: port && port + 2, environment, onFailure });
    closers.push(started.close);
    return started;
  };

  const api = await openPort(port, "the API");
  const invokeApi = await openPort(port && port + 1, "the Lambda Invoke API");
  const loginPort = await openPort(port && port + 3, "the login");
  const database = externalDatabase ? undefined : await startDatabase();
  const access = externalDatabase ?? { endpoint: database?.url ?? "", region: environment.region };

  const login = createLogin({ listener: loginPort, baseUrl: api.url, dataDirectory, additionalUsers, log: logLine });
  const feed = createLogFeed({ accountId: environment.accountId, log: logLine });
  const functions = createFunctions({ access, feed, log, sourceMapOf });
  closers.push(functions.close);
  closers.push(() => feed.close(graceMilliseconds));
  closers.push(() => Promise.all([api, invokeApi, loginPort].map((listener) => listener.close(graceMilliseconds))));

  const run = async (assemblyDirectory: string): Promise<Running> => {
    // What can fail comes first: until all of it has succeeded, the application before goes on.
    const places = { environment, baseUrl: api.url, loginUrl: loginPort.url };
    const application = await readApplication(assemblyDirectory, places);
    const issuer = await login.prepare(application.userPool);
    await createTables(application.tables, access, externalDatabase?.endpoint ?? dataDirectory);
    await database?.enforce(new Map(application.functions.map(({ name, rights }) => [name, rights])));

    functions.run(application.functions);
    // A copy: a request that began before a reload still finds the function that the reload removes.
    const byArn = new Map([...functions.byName.values()].map((pool) => [pool.definition.arn, pool]));
    const invoke: InvokeByArn = (arn, payload) => byArn.get(application.functionBehind(arn))?.invoke(payload);
    feed.subscribe(application.subscriptions, invoke);
    const gateway = createGateway({
      api: application.api,
      mayInvoke: application.mayInvoke,
      accountId: environment.accountId,
      domainName: new URL(api.url).host,
      invoke,
      keysOf: (url) => (url === loginPort.url ? issuer?.keys : undefined),
      log: logLine,
    });
    login.serve(issuer);
    api.serve(withMiddleware(middleware, gateway, logLine));
    return { application, issuer };
  };

  // The login's library is loaded while the assembly is made, because there is little else to do here meanwhile.
  const [assemblyDirectory] = typeof assembly === "string" ? [assembly] : await Promise.all([assembly(), loadLogin()]);
  let running = await run(assemblyDirectory);
  invokeApi.serve(createInvokeApi(functions.byName, logLine));

  let reloading: Promise<unknown> = Promise.resolve();
  const reload = async (directory: string) => {
    const before = running.application;
    running = await run(directory);
    return changesBetween(before, running.application);
  };

  return {
    baseUrl: api.url,
    invokeUrl: invokeApi.url,
    dynamodbUrl: access.endpoint,
    get loginUrl() {
      return running.issuer && loginPort.url;
    },
    get loginClientIds() {
      return running.application.userPool?.clients.map(({ id }) => id) ?? [];
    },
    get logins() {
      return running.issuer?.logins ?? [];
    },
    get functionNames() {
      return [...functions.byName.keys()];
    },
    get tableNames() {
      return running.application.tables.map(({ TableName }) => TableName);
    },
    get outputs() {
      return running.application.outputs;
    },
    codeDirectoryOf: (functionName) => functions.byName.get(functionName)?.definition.codeDirectory,
    invoke: async (functionName, event) => functions.named(functionName).invoke(JSON.stringify(event)),
    usedRights: async () => (await database?.usedRights()) ?? [],
    replaceCode: functions.replaceCode,
    reload(directory) {
      // One after the other, whether or not the one before succeeds.
      const reloaded = reloading.then(() => reload(directory));
      reloading = reloaded.catch(() => undefined);
      return reloaded;
    },
    close,
  };
};
